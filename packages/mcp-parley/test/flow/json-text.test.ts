import fc from "fast-check";
import { expect, test } from "vitest";
import { textAtMost } from "../../src/flow/json-text.js";
import type { JSONValue } from "../../src/protocol/json.js";

const values = fc.oneof(
  fc.jsonValue({ noUnicodeString: false }),
  fc.array(
    fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string({ unit: "binary" })),
  ),
);

test("no value's text is longer than it may be at most", () => {
  fc.assert(
    fc.property(values, (value) => {
      expect(textAtMost(value as JSONValue)).toBeGreaterThanOrEqual(JSON.stringify(value).length);
    }),
  );
});

test.each([
  ["a control", "\u0000", 8],
  ["the longest number", -2.2250738585072014e-308, 24],
  ["nothing", null, 4],
])("is near for %s", (_name, value, most) => {
  expect(textAtMost(value)).toBe(most);
  expect(JSON.stringify(value).length).toBeLessThanOrEqual(most);
});
