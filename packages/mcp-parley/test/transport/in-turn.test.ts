import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { inTurn } from "../../src/transport/in-turn.js";

test("what has arrived is answered later, in the order in which it came", async () => {
  const answered: number[] = [];
  const all = new Promise<void>((resolve) => {
    for (const n of [1, 2, 3]) inTurn(() => answered.push(n));
    inTurn(resolve);
  });
  expect(answered).toEqual([]);
  await all;
  expect(answered).toEqual([1, 2, 3]);
});

test("what arrives while others are answered has its turn after them", async () => {
  const answered: string[] = [];
  await new Promise<void>((resolve) => {
    inTurn(() => {
      inTurn(() => resolve());
      answered.push("first");
    });
    inTurn(() => answered.push("second"));
  });
  expect(answered).toEqual(["first", "second"]);
});

test("one that throws is heard of, and keeps nobody from its turn", () => {
  const module = new URL("../../dist/transport/in-turn.js", import.meta.url).href;
  const program = `
    import { inTurn } from ${JSON.stringify(module)};
    process.on("uncaughtException", (error) => console.log(error.message));
    inTurn(() => console.log("before"));
    inTurn(() => { throw new Error("broken"); });
    inTurn(() => console.log("after"));
    inTurn(() => console.log("last"));
  `;
  const said = execFileSync(process.execPath, ["--input-type=module", "-e", program]);
  expect(String(said).trim().split("\n")).toEqual(["before", "broken", "after", "last"]);
});
