import { describe, expect, test } from "vitest";
import { faultsOf, readHistory, type Happened } from "./history.js";

const line = (kind: Happened["kind"], by: string, more: Partial<Happened> = {}): Happened => ({
  kind,
  by,
  id: "a",
  attempt: 1,
  ...more,
});

const good: Happened[] = [
  line("ask", "one"),
  line("ask", "two"),
  line("fresh", "one"),
  line("effect", "one"),
  line("told", "one", { outcome: "x" }),
  line("told", "two", { outcome: "x" }),
];

describe("a checker of histories", () => {
  test("finds nothing wrong with a good one", () => {
    expect(faultsOf(good, ["a"], true)).toEqual([]);
    expect(faultsOf(good, ["a"], false)).toEqual([]);
  });

  test("finds a second effect, of effects alone", () => {
    const twice = [...good, line("effect", "two")];
    expect(faultsOf(twice, ["a"], true)).toEqual(["a: 2 effects"]);
    expect(faultsOf(twice, ["a"], false)).toEqual([]);
  });

  test("finds two outcomes, and one that was lost", () => {
    const other = [...good, line("told", "two", { outcome: "y" })];
    expect(faultsOf(other, ["a"], true)).toEqual(["a: 2 outcomes: x | y"]);
    const lost = [line("ask", "one"), line("told", "one", { outcome: null })];
    expect(faultsOf(lost, ["a"], false)).toEqual(["a: an outcome was lost"]);
  });

  test("finds who acts although it asked after somebody was told", () => {
    const late = [line("ask", "two", { attempt: 2 }), line("fresh", "two", { attempt: 2 })];
    expect(faultsOf([...good, ...late], ["a"], false)).toEqual([
      "a: fresh for two after it was settled",
    ]);
    expect(faultsOf([...good, line("fresh", "two")], ["a"], false)).toEqual([]);
  });

  test("finds who was refused without reason", () => {
    expect(faultsOf([...good, line("past", "two")], ["a"], false)).toEqual(["a: past for two"]);
    const refused = line("mismatch", "two", { refused: true });
    expect(faultsOf([...good, refused], ["a"], false)).toEqual([]);
  });

  test("finds that nobody was told, or of a round only that nobody knows", () => {
    expect(faultsOf([line("ask", "one")], ["a"], true)).toEqual(["a: nobody was told"]);
    expect(faultsOf([line("unknown", "one")], ["a"], true)).toEqual([]);
    expect(faultsOf([line("unknown", "one")], ["a"], false)).toEqual(["a: nobody was told"]);
  });

  test("keeps ids apart", () => {
    const other = good.map((happened) => ({ ...happened, id: "b" }));
    expect(faultsOf([...good, ...other], ["a", "b"], true)).toEqual([]);
  });

  test("reads a log up to its last whole line", () => {
    expect(readHistory('{"kind":"ask","by":"one"}\n{"kind":"fr')).toEqual([
      { kind: "ask", by: "one" },
    ]);
  });
});
