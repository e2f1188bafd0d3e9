import { expect, test } from "vitest";
import { forksOf } from "./forks.js";

test("a history seen at several moments, in any order, is one", () => {
  expect(forksOf([["a", "b"], [], ["a"], ["a", "b", "c"], ["a", "b", "c"]])).toEqual([]);
  expect(forksOf([])).toEqual([]);
});

test("one that was seen to go on in two ways is not", () => {
  expect(forksOf([["a", "b"], ["a"], ["a", "c"]])).toEqual(["a c | a b"]);
  expect(forksOf([["b"], ["b"], ["a", "c", "d"]])).toEqual(["b | a c d"]);
});
