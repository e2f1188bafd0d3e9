import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { missingCapabilities, readClientCapabilities } from "../../src/protocol/capabilities.js";
import type { ClientCapabilities } from "../../src/protocol/capabilities.js";
import type { InputRequest } from "../../src/protocol/input.js";
import { requiredBy } from "../../src/protocol/required-by.js";

const form: InputRequest = {
  method: "elicitation/create",
  params: { message: "?", requestedSchema: { type: "object", properties: {} } },
};
const url: InputRequest = {
  method: "elicitation/create",
  params: { mode: "url", message: "?", url: "https://example.com/" },
};
const sampling = { messages: [], maxTokens: 1 };
const sample = (more: object): InputRequest => ({
  method: "sampling/createMessage",
  params: { ...sampling, ...more },
});
const roots: InputRequest = { method: "roots/list" };

describe("requiredBy", () => {
  it.each<[string, InputRequest, ClientCapabilities]>([
    ["a form", form, { elicitation: { form: {} } }],
    ["a link", url, { elicitation: { url: {} } }],
    ["plain sampling", sample({}), { sampling: {} }],
    ["sampling with tools", sample({ tools: [] }), { sampling: { tools: {} } }],
    ["sampling with a tool choice", sample({ toolChoice: {} }), { sampling: { tools: {} } }],
    ["sampling without context", sample({ includeContext: "none" }), { sampling: {} }],
    [
      "sampling with context",
      sample({ includeContext: "allServers" }),
      { sampling: { context: {} } },
    ],
    ["roots", roots, { roots: {} }],
  ])("says what %s needs", (_, request, needs) => {
    expect(requiredBy(request)).toStrictEqual(needs);
  });
});

describe("missingCapabilities", () => {
  it.each<[string, InputRequest, ClientCapabilities, ClientCapabilities | undefined]>([
    ["bare elicitation means form", form, { elicitation: {} }, undefined],
    ["bare elicitation is no url", url, { elicitation: {} }, { elicitation: { url: {} } }],
    ["url alone is no form", form, { elicitation: { url: {} } }, { elicitation: { form: {} } }],
    ["form alone is no url", url, { elicitation: { form: {} } }, { elicitation: { url: {} } }],
    ["nothing declared", form, {}, { elicitation: { form: {} } }],
    ["both declared", url, { elicitation: { form: {}, url: {} } }, undefined],
    ["no sampling", sample({}), { roots: {} }, { sampling: {} }],
    [
      "sampling without tools",
      sample({ tools: [] }),
      { sampling: {} },
      { sampling: { tools: {} } },
    ],
    ["sampling with tools", sample({ tools: [] }), { sampling: { tools: {} } }, undefined],
    ["no roots", roots, { sampling: {} }, { roots: {} }],
    ["roots", roots, { roots: { listChanged: true } }, undefined],
  ])("%s", (_, request, declared, missing) => {
    expect(missingCapabilities(requiredBy(request), declared)).toStrictEqual(missing);
  });

  it("names only what is missing of several", () => {
    const required = { elicitation: { form: {}, url: {} }, roots: {}, extensions: { "a/b": {} } };
    expect(missingCapabilities(required, { elicitation: { form: {} }, roots: {} })).toStrictEqual({
      elicitation: { url: {} },
      extensions: { "a/b": {} },
    });
  });

  it("takes no inherited member for a declaration", () => {
    const declared = Object.create({ roots: {} }) as ClientCapabilities;
    expect(missingCapabilities({ roots: {} }, declared)).toStrictEqual({ roots: {} });
    const odd = JSON.parse('{"__proto__":{"roots":{}}}') as ClientCapabilities;
    expect(missingCapabilities({ roots: {} }, odd)).toStrictEqual({ roots: {} });
  });
});

describe("readClientCapabilities", () => {
  it.each([
    {},
    { elicitation: {}, sampling: { tools: {} }, roots: {} },
    { experimental: { x: {} }, extensions: { "io.example/y": { z: 1 } } },
    { somethingNew: 7 },
    { elicitation: { somethingNew: 7 } },
  ])("takes %j", (value) => {
    expect(readClientCapabilities(value)).toStrictEqual({ ok: true, capabilities: value });
  });

  it.each([
    [null, " is not an object"],
    [[], " is not an object"],
    ["x", " is not an object"],
    [{ elicitation: null }, ".elicitation is not an object"],
    [{ elicitation: { form: true } }, ".elicitation.form is not an object"],
    [{ elicitation: { url: [] } }, ".elicitation.url is not an object"],
    [{ sampling: 1 }, ".sampling is not an object"],
    [{ sampling: { tools: 1 } }, ".sampling.tools is not an object"],
    [{ roots: "yes" }, ".roots is not an object"],
    [{ extensions: { "a/b": 1 } }, ".extensions.a/b is not an object"],
    [{ experimental: [] }, ".experimental is not an object"],
  ])("refuses %j", (value, why) => {
    expect(readClientCapabilities(value)).toStrictEqual({ ok: false, why });
  });

  it("never throws, and gives what can be asked about", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const read = readClientCapabilities(value);
        if (read.ok) missingCapabilities(requiredBy(url), read.capabilities);
      }),
    );
  });
});
