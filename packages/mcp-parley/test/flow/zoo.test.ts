import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accept, answer, request, textOf } from "../support/caller.js";
import type { Turn } from "../support/caller.js";
import type { Wire } from "../support/hosts.js";

/**
 * Every way a handler can treat a suspension, against a real process of its own: no exit, bounded
 * time, flat heap, no effect without consent.
 */
let zoo: ChildProcess;
let url: string;
const exits: (number | null)[] = [];

beforeAll(async () => {
  zoo = spawn(
    process.execPath,
    ["--expose-gc", fileURLToPath(new URL("zoo.mjs", import.meta.url))],
    {
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    },
  );
  zoo.on("exit", (code) => exits.push(code));
  url = await new Promise<string>((resolve, reject) => {
    zoo.stdout?.once("data", (chunk: Buffer) => resolve(chunk.toString().trim()));
    zoo.once("exit", (code) => reject(new Error(`the zoo ended with ${String(code)}`)));
  });
});

afterAll(() => {
  zoo.kill();
});

async function send(name: string, extra: Wire = {}): Promise<Turn> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": name,
    },
    body: JSON.stringify(request("tools/call", { name, arguments: {}, ...extra })),
  });
  const { result, error } = (await response.json()) as Pick<Turn, "result" | "error">;
  return { result, error, notified: [] };
}

const effects = async (): Promise<number> => Number(textOf(await send("effects")));

const EVERYTHING = { a: accept(), b: accept(), c: accept() };

describe("what ends well once it is answered", () => {
  it.each([
    "straight",
    "parallel",
    "helper",
    "then",
    "race",
    "rethrown",
    "wrapped",
    "finally",
    "late",
    "settled",
    "any",
  ])("%s", async (name) => {
    const before = await effects();
    let turn = await send(name);
    expect(turn.result?.["resultType"]).toBe("input_required");
    expect(await effects(), "no effect without consent").toBe(before);
    for (let round = 0; round < 3 && turn.result?.["resultType"] === "input_required"; round += 1) {
      turn = await send(name, answer(turn.result, EVERYTHING));
    }
    expect(textOf(turn)).toBe("done");
    expect(await effects()).toBe(before + 1);
    expect(exits).toEqual([]);
  });
});

describe("what is a mistake, and harms nobody", () => {
  it("swallowed: the round is input_required all the same, and nothing happens", async () => {
    const before = await effects();
    const turn = await send("swallowed");
    expect(turn.result?.["resultType"]).toBe("input_required");
    expect(await effects()).toBe(before);
  });

  it("detached: a dropped ask neither kills the process nor runs what hung on it", async () => {
    const before = await effects();
    const turn = await send("detached");
    expect(Object.keys(turn.result?.["inputRequests"] as Wire).sort()).toEqual(["a", "b", "c"]);
    expect(await effects()).toBe(before);
    expect(exits).toEqual([]);
  });

  it("never settling: answered within a bound", async () => {
    const before = performance.now();
    const turn = await send("never");
    expect(turn.result?.["resultType"]).toBe("input_required");
    expect(performance.now() - before).toBeLessThan(10_000);
  });
});

it("10,000 flows begun and abandoned leave the heap flat", async () => {
  const abandon = async (flows: number): Promise<number> =>
    Number(textOf(await send("abandon", { arguments: { flows } })));
  const before = await abandon(1_000);
  const grown = (await abandon(10_000)) - before;
  expect(grown, "bytes of heap").toBeLessThan(2 * 1024 * 1024);
  expect(exits).toEqual([]);
});
