import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isMetaKey, readEnvelope, unsupportedVersion } from "../../src/protocol/meta.js";
import { LOGGING_LEVELS } from "../../src/protocol/notifications.js";
import { almost, anyJson } from "./arbitrary.js";
import { sample } from "./samples.js";

const version = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
const capabilities = { "io.modelcontextprotocol/clientCapabilities": {} };
const sound = { ...version, ...capabilities };
const read = (meta: unknown): ReturnType<typeof readEnvelope> => readEnvelope({ _meta: meta });

describe("readEnvelope", () => {
  it("reads the revision's example", () => {
    expect(readEnvelope(sample("call-tool-request")["params"])).toStrictEqual({
      ok: true,
      envelope: {
        protocolVersion: "2026-07-28",
        clientCapabilities: {},
        clientInfo: { name: "ExampleClient", version: "1.0.0" },
        logLevel: undefined,
        progressToken: undefined,
        traceparent: undefined,
        tracestate: undefined,
        baggage: undefined,
      },
    });
  });

  it.each([
    ["no params", undefined],
    ["params that are a list", []],
    ["no _meta", {}],
    ["a _meta that is null", { _meta: null }],
    ["an inherited _meta", Object.create({ _meta: sound })],
    ["no version", { _meta: capabilities }],
    [
      "a version that is a number",
      { _meta: { ...sound, ...capabilities, "io.modelcontextprotocol/protocolVersion": 1 } },
    ],
    ["no capabilities", { _meta: version }],
    [
      "capabilities that are a list",
      { _meta: { ...version, "io.modelcontextprotocol/clientCapabilities": [] } },
    ],
    [
      "a capability that is true",
      {
        _meta: { ...version, "io.modelcontextprotocol/clientCapabilities": { elicitation: true } },
      },
    ],
    ["an unknown log level", { _meta: { ...sound, "io.modelcontextprotocol/logLevel": "loud" } }],
    ["a log level of another type", { _meta: { ...sound, "io.modelcontextprotocol/logLevel": 3 } }],
    ["a log level that is null", { _meta: { ...sound, "io.modelcontextprotocol/logLevel": null } }],
    ["a progress token that is an object", { _meta: { ...sound, progressToken: {} } }],
    ["a progress token that is a fraction", { _meta: { ...sound, progressToken: 0.5 } }],
  ])("refuses %s as invalid params", (_, params) => {
    expect(readEnvelope(params)).toMatchObject({ ok: false, code: -32602 });
  });

  it.each([undefined, null, "x", [], {}, { name: "x" }, { name: 1, version: "1" }])(
    "serves a client that gives %j for clientInfo",
    (clientInfo) => {
      expect(read({ ...sound, "io.modelcontextprotocol/clientInfo": clientInfo })).toMatchObject({
        ok: true,
        envelope: { clientInfo: undefined },
      });
    },
  );

  it("leaves a malformed trace context out", () => {
    expect(read({ ...sound, traceparent: 7, tracestate: "a=b", baggage: [] })).toMatchObject({
      ok: true,
      envelope: { traceparent: undefined, tracestate: "a=b", baggage: undefined },
    });
  });

  it.each(LOGGING_LEVELS)("knows the level %s", (level) => {
    expect(read({ ...sound, "io.modelcontextprotocol/logLevel": level })).toMatchObject({
      envelope: { logLevel: level },
    });
  });

  it("reads or refuses anything, and never throws", () => {
    const meta = almost({
      "io.modelcontextprotocol/protocolVersion": fc.constant("2026-07-28"),
      "io.modelcontextprotocol/clientCapabilities": almost({
        elicitation: almost({ form: fc.constant({}), url: fc.constant({}) }),
        sampling: almost({ tools: fc.constant({}) }),
        extensions: fc.dictionary(fc.string(), fc.constant({})),
      }),
      "io.modelcontextprotocol/logLevel": fc.constant("info"),
      progressToken: fc.nat(),
    });
    let served = 0;
    fc.assert(
      fc.property(fc.oneof(meta, anyJson), (value) => {
        const envelope = read(value);
        if (!envelope.ok) return;
        served++;
        expect(typeof envelope.envelope.protocolVersion).toBe("string");
      }),
      { numRuns: 500 },
    );
    expect(served).toBeGreaterThan(10);
  });
});

it.each([
  ["progressToken", true],
  ["io.modelcontextprotocol/logLevel", true],
  ["com.example/", true],
  ["", true],
  ["a-b.c1/x_y-z.0", true],
  ["mcp-parley/outcome", true],
  ["1a/x", false],
  ["a-/x", false],
  ["a..b/x", false],
  ["/x", false],
  ["a/b/c", false],
  ["-x", false],
  ["x-", false],
  ["a b", false],
])("isMetaKey(%j) is %s", (key, is) => {
  expect(isMetaKey(key)).toBe(is);
});

it("unsupportedVersion gives the data of a -32022", () => {
  expect(unsupportedVersion(["2026-07-28"], "1900-01-01")).toStrictEqual({
    supported: ["2026-07-28"],
    requested: "1900-01-01",
  });
});
