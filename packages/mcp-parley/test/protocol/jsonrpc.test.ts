import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  errorText,
  notificationText,
  readMessage,
  requestText,
  resultText,
} from "../../src/protocol/jsonrpc.js";
import type { JSONValue } from "../../src/protocol/json.js";
import { almost, anyJson } from "./arbitrary.js";
import { sample } from "./samples.js";

const of = (text: string): unknown => JSON.parse(text);

describe("readMessage", () => {
  it("reads the revision's example", () => {
    expect(readMessage(sample("call-tool-request"))).toMatchObject({
      kind: "request",
      id: "call-tool-example",
      method: "tools/call",
      params: { name: "get_weather" },
    });
  });

  it.each([
    ['{"jsonrpc":"2.0","id":1,"method":"x"}', { kind: "request", id: 1, method: "x", params: {} }],
    ['{"jsonrpc":"2.0","id":"","method":""}', { kind: "request", id: "", method: "", params: {} }],
    ['{"jsonrpc":"2.0","method":"x","params":{"a":1}}', { kind: "notification", params: { a: 1 } }],
    ['{"jsonrpc":"2.0","id":1,"result":{}}', { kind: "response", id: 1 }],
    ['{"jsonrpc":"2.0","id":1,"error":{}}', { kind: "response", id: 1 }],
    ['{"jsonrpc":"2.0","error":{}}', { kind: "response", id: undefined }],
    ['{"jsonrpc":"2.0","id":null,"error":{}}', { kind: "response", id: undefined }],
  ])("reads %s", (text, message) => {
    expect(readMessage(of(text))).toMatchObject(message);
  });

  it.each([
    ["null", undefined],
    ["7", undefined],
    ['"x"', undefined],
    ['[{"jsonrpc":"2.0","id":1,"method":"x"}]', undefined],
    ['{"id":1,"method":"x"}', 1],
    ['{"jsonrpc":2,"id":1,"method":"x"}', 1],
    ['{"jsonrpc":"2.0","id":1}', 1],
    ['{"jsonrpc":"2.0","id":1,"method":7}', 1],
    ['{"jsonrpc":"2.0","id":1,"method":"x","params":[]}', 1],
    ['{"jsonrpc":"2.0","id":1,"method":"x","params":null}', 1],
    ['{"jsonrpc":"2.0","id":1,"method":"x","result":{}}', 1],
    ['{"jsonrpc":"2.0","id":null,"method":"x"}', undefined],
    ['{"jsonrpc":"2.0","id":1.5,"method":"x"}', undefined],
    ['{"jsonrpc":"2.0","id":9007199254740993,"method":"x"}', undefined],
    ['{"jsonrpc":"2.0","id":{},"method":"x"}', undefined],
    ['{"jsonrpc":"2.0","id":true,"result":{}}', undefined],
    ['{"jsonrpc":"2.0","id":null,"result":{}}', undefined],
    ['{"jsonrpc":"2.0","id":[1],"error":{}}', undefined],
    ['{"__proto__":{"jsonrpc":"2.0","id":1,"method":"x"}}', undefined],
  ])("finds %s invalid, and keeps the id %j", (text, id) => {
    expect(readMessage(of(text))).toMatchObject({ kind: "invalid", id });
  });

  it("says one thing about anything, and never throws", () => {
    const jsonrpc = fc.constant("2.0");
    const id = fc.oneof(fc.string(), fc.maxSafeInteger());
    const method = fc.string();
    const params = fc.dictionary(fc.string(), fc.jsonValue());
    const message = fc.oneof(
      almost({ jsonrpc, id, method, params }),
      almost({ jsonrpc, method, params }),
      almost({ jsonrpc, id, result: fc.constant({}) }),
      almost({ jsonrpc, id, error: fc.constant({}) }),
    );
    const kinds = new Set<string>();
    fc.assert(
      fc.property(
        fc.oneof({ weight: 4, arbitrary: message }, { weight: 1, arbitrary: anyJson }),
        (value) => {
          kinds.add(readMessage(value).kind);
        },
      ),
      { numRuns: 500 },
    );
    expect([...kinds].sort()).toEqual(["invalid", "notification", "request", "response"]);
  });
});

describe("texts", () => {
  const id = fc.oneof(fc.string({ unit: "binary" }), fc.maxSafeInteger());
  const json = fc.json({ maxDepth: 2 });

  it("are one line of JSON that reads back", () => {
    fc.assert(
      fc.property(id, fc.string({ unit: "binary" }), json, (requestId, text, data) => {
        const value = of(data) as JSONValue;
        const texts: [string, unknown][] = [
          [resultText(requestId, data), { id: requestId, result: value }],
          [requestText(requestId, text, data), { id: requestId, method: text, params: value }],
          [notificationText(text, data), { method: text, params: value }],
          [
            errorText(requestId, -32602, text, value),
            { id: requestId, error: { code: -32602, message: text, data: value } },
          ],
          [errorText(undefined, -32700, text), { error: { code: -32700, message: text } }],
        ];
        for (const [line, message] of texts) {
          expect(line).not.toMatch(/[\r\n]/);
          expect(of(line)).toEqual(of(JSON.stringify({ jsonrpc: "2.0", ...(message as object) })));
        }
      }),
      { numRuns: 200 },
    );
  });
});
