import { expect, it } from "vitest";
import { httpStatusOf } from "../../src/protocol/codes.js";
import { isAskingMethod, nameOf } from "../../src/protocol/methods.js";

it.each([
  ["tools/call", { name: "a", uri: "b" }, "a"],
  ["prompts/get", { name: "a", uri: "b" }, "a"],
  ["resources/read", { name: "a", uri: "b" }, "b"],
  ["tools/list", { name: "a", uri: "b" }, undefined],
  ["__proto__", { name: "a" }, undefined],
  ["tools/call", {}, undefined],
  ["tools/call", { name: 7 }, undefined],
  ["tools/call", Object.create({ name: "a" }), undefined],
  ["tools/call", null, undefined],
  ["tools/call", "name", undefined],
])("the name of %s with %j is %j", (method, params: unknown, name) => {
  expect(nameOf(method, params)).toBe(name);
});

it.each([
  ["tools/call", true],
  ["prompts/get", true],
  ["resources/read", true],
  ["tools/list", false],
  ["resources/list", false],
  ["server/discover", false],
  ["completion/complete", false],
  ["constructor", false],
])("whether %s may be answered with a question: %s", (method, may) => {
  expect(isAskingMethod(method)).toBe(may);
});

it.each([
  [-32700, 400],
  [-32600, 400],
  [-32601, 404],
  [-32602, 200],
  [-32603, 200],
  [-32020, 400],
  [-32021, 400],
  [-32022, 400],
  [1, 200],
])("the error %d travels with HTTP %d", (code, status) => {
  expect(httpStatusOf(code)).toBe(status);
});
