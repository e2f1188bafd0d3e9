import { statSync } from "node:fs";
import { expect, test } from "vitest";
import { isErrno } from "../../src/state/errno.js";

test("an error of the operating system's is one with its code and its call", () => {
  let failure: unknown;
  try {
    statSync("/there/is/no/such/file");
  } catch (error) {
    failure = error;
  }
  expect(isErrno(failure)).toBe(true);
});

test.each([
  [new Error("plain")],
  [Object.assign(new Error("of ours"), { code: "usage" })],
  [Object.assign(new Error("odd"), { code: 2, syscall: "stat" })],
  [Object.assign(new Error("odd"), { syscall: "stat" })],
  [{ code: "ENOENT", syscall: "stat" }],
  [undefined],
])("%o is none", (other) => {
  expect(isErrno(other)).toBe(false);
});
