import { afterEach, beforeEach, expect, it } from "vitest";
import { accept, answer, request, send, textOf } from "./support/caller.js";
import type { Turn } from "./support/caller.js";
import { hosts } from "./support/hosts.js";
import type { Host, Wire } from "./support/hosts.js";
import { janitor, newWorld, shared } from "./support/janitor.js";
import type { World } from "./support/janitor.js";

/** The README's four promises, each against instances that share nothing but a key and a store. */
let host: Host;
let world: World;

beforeEach(async () => {
  world = newWorld();
  const parts = shared();
  const overHttp = hosts["node:http"];
  if (overHttp === undefined) throw new Error("no HTTP host");
  host = await overHttp(() => janitor(world, parts), true);
});

afterEach(() => host.close());

const branch = (name: string): Wire => ({ name: "delete_branch", arguments: { branch: name } });
const YES = { sure: accept({}), why: accept({ reason: "merged" }) };

const call = (params: Wire): Promise<Turn> => send(host, request("tools/call", params));

/** Plays a deletion up to its last round, and gives that round's request. */
async function lastRound(name: string): Promise<Wire> {
  let params = branch(name);
  for (let round = 0; round < 2; round += 1) {
    const { result } = await call(params);
    expect(result?.["resultType"]).toBe("input_required");
    params = { ...branch(name), ...answer(result ?? {}, YES) };
  }
  return params;
}

it("forged: a state with any one character changed is refused, and nothing runs", async () => {
  const last = await lastRound("old");
  const state = last["requestState"] as string;
  for (let at = 0; at < state.length; at += 7) {
    const other = state[at] === "A" ? "B" : "A";
    const requestState = state.slice(0, at) + other + state.slice(at + 1);
    const { error } = await call({ ...last, requestState });
    expect(error).toEqual({ code: -32602, message: "Invalid or expired requestState" });
  }
  expect(world.effects).toEqual([]);
  expect(textOf(await call(last))).toBe("Deleted old: merged");
});

it("moved: a yes to one branch is not a yes to another", async () => {
  const last = await lastRound("old");
  const { error } = await call({ ...last, arguments: { branch: "main" } });
  expect(error).toEqual({ code: -32602, message: "Invalid or expired requestState" });
  expect(world.effects).toEqual([]);
  expect(textOf(await call(last))).toBe("Deleted old: merged");
});

it("replayed: a round sent again does nothing again, with the same answers or others", async () => {
  const last = await lastRound("old");
  expect(textOf(await call(last))).toBe("Deleted old: merged");
  expect(textOf(await call(last))).toBe("Deleted old: merged");
  const inputResponses = { why: accept({ reason: "another" }) };
  const { error } = await call({ ...last, inputResponses });
  expect(error).toMatchObject({ code: -32602, data: { reason: "spent" } });
  expect(world.effects).toHaveLength(1);
});

it("response lost: the client sends its round again and gets the very same result", async () => {
  const last = await lastRound("old");
  const lost = await call(last);
  const again = await Promise.all([call(last), call(last), call(last)]);
  for (const turn of again) expect(turn.result).toEqual(lost.result);
  expect(world.effects).toHaveLength(1);
});
