import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { stored } from "../../src/entry/index.js";
import { newKeyText } from "../../src/state/key-text.js";
import { memoryStore } from "../../src/store/memory.js";
import type { Store } from "../../src/store/store.js";
import { accept, answer, request, textOf } from "../support/caller.js";
import type { Turn } from "../support/caller.js";
import type { Wire } from "../support/hosts.js";
import {
  MALLORY,
  RENT,
  REFUSED,
  YES,
  bank,
  begin,
  lastRound,
  open,
  refusals,
  scene,
} from "./bank.js";
import type { Door, Scene } from "./bank.js";

/** Attacks with one's own honest states, again or too late. Two instances, one key and one store. */
let at: Scene;
let door: Door;
let other: Door;
const doors: Door[] = [];

async function opened(...of: Parameters<typeof bank>): Promise<Door> {
  const made = await open(bank(...of));
  doors.push(made);
  return made;
}

beforeEach(async () => {
  at = scene();
  door = await opened(at);
  other = await opened(at);
});
afterEach(async () => {
  await Promise.all(doors.splice(0).map((each) => each.close()));
});

const SPENT = { ...REFUSED, data: { reason: "spent" } };
const EXPIRED = { ...REFUSED, data: { reason: "expired" } };
const MINUTE = 60_000;

const memo = (round: Wire, text: string): Wire => ({
  ...round,
  inputResponses: { memo: accept({ memo: text }) },
});

describe("a round that is sent again", () => {
  it("after the flow is over moves no money, on whichever instance, however often", async () => {
    const last = await lastRound(door, RENT, MALLORY);
    const done = await door.call(last, MALLORY);
    expect(textOf(done)).toBe("Sent 100 to landlord.");
    for (const instance of [door, other, door, other]) {
      const again = await instance.call(last, MALLORY);
      expect(again.result).toEqual(done.result);
    }
    expect(at.moved).toHaveLength(1);
  });

  it("twenty times at once, over two instances, moves money once", async () => {
    const last = await lastRound(door, RENT, MALLORY);
    const sends = Array.from({ length: 20 }, (_, n) =>
      (n % 2 === 0 ? door : other).call(last, MALLORY),
    );
    const turns = await Promise.all(sends);
    expect(new Set(turns.map(textOf))).toEqual(new Set(["Sent 100 to landlord."]));
    expect(at.moved).toHaveLength(1);
  });

  it("at once with many different answers is heard with one of them", async () => {
    const last = await lastRound(door, RENT, MALLORY);
    const sends = Array.from({ length: 10 }, (_, n) =>
      (n % 2 === 0 ? door : other).call(memo(last, `try ${String(n)}`), MALLORY),
    );
    const turns = await Promise.all(sends);
    expect(turns.filter(({ result }) => result !== undefined)).toHaveLength(1);
    for (const { error } of turns) if (error !== undefined) expect(error).toEqual(SPENT);
    expect(at.given).toHaveLength(1);
    expect(at.moved).toHaveLength(1);
  });

  it("with another answer, to take a no back, is refused", async () => {
    const first = await begin(door, RENT, MALLORY);
    const declined = { ...first, inputResponses: { sure: { action: "decline" } } };
    const { result } = await door.call(declined, MALLORY);
    expect(result?.["resultType"]).toBe("complete");
    expect((await other.call(first, MALLORY)).error).toEqual(SPENT);
    expect(at.moved).toEqual([]);
  });

  it("with another amount, after money moved and the round was refused, is refused", async () => {
    const topUp: Wire = { name: "top_up", arguments: {} };
    const wish = (amount: number) => ({ wish: accept({ amount }) });
    const { result } = await door.call(topUp, MALLORY);
    const asked = { ...topUp, ...answer(result ?? {}, wish(1)) };
    const without = request("tools/call", asked, { elicitation: { form: {} } });
    expect((await door.send(without, MALLORY)).error?.code).toBe(-32021);
    expect(at.moved).toEqual(["1"]);

    const more = { ...asked, inputResponses: wish(1_000_000) };
    expect((await other.call(more, MALLORY)).error).toEqual(SPENT);
    expect((await door.call(more, MALLORY)).error).toEqual(SPENT);
    // Whoever has only declared too little goes on with what was answered.
    const next = (await other.call(asked, MALLORY)).result ?? {};
    const last = { ...topUp, ...answer(next, { receipt: accept() }) };
    expect(textOf(await door.call(last, MALLORY))).toBe("Credited 1.");
    expect(at.moved).toEqual(["1"]);
  });

  it("from the middle of a flow that is over starts no second ending", async () => {
    const first = await begin(door, RENT, MALLORY);
    const second = await door.call(first, MALLORY);
    const last = { ...RENT, ...answer(second.result ?? {}, YES) };
    expect(textOf(await door.call(last, MALLORY))).toBe("Sent 100 to landlord.");
    // The same round gives the same state, and that one is spent.
    const again = await other.call(first, MALLORY);
    expect(again.result).toEqual(second.result);
    expect((await other.call(memo(last, "once more"), MALLORY)).error).toEqual(SPENT);
    expect(at.moved).toHaveLength(1);
  });

  it("when its result is no longer kept is refused as spent, and not run", async () => {
    const last = await lastRound(door, RENT, MALLORY);
    expect(textOf(await door.call(last, MALLORY))).toBe("Sent 100 to landlord.");
    at.clock.jump(2 * MINUTE);
    expect((await other.call(last, MALLORY)).error).toEqual(SPENT);
    expect(at.moved).toHaveLength(1);
  });

  it("to a fleet whose store came back empty is refused, for nobody would know it was spent", async () => {
    const shared = (): Store => ofFleet(memoryStore({}, () => at.clock.now()));
    const before = await opened(at, { store: shared() });
    const last = await lastRound(before, RENT, MALLORY);
    expect(textOf(await before.call(last, MALLORY))).toBe("Sent 100 to landlord.");
    const after = await opened(at, { store: shared() });
    expect((await after.call(last, MALLORY)).error).toEqual(REFUSED);
    expect(refusals(at)).toEqual(["state_lost"]);
    expect(at.moved).toHaveLength(1);
  });
});

/** A store that says of itself that it serves a fleet. */
function ofFleet(store: Store): Store {
  return {
    name: "fleet",
    survives: "fleet",
    insertOrGet: (...of) => store.insertOrGet(...of),
    replaceIfOwner: (...of) => store.replaceIfOwner(...of),
    deleteIfOwner: (...of) => store.deleteIfOwner(...of),
  };
}

describe("a state that was kept for later", () => {
  it("is over after ten minutes, to the millisecond, and stays so", async () => {
    const [inTime, last] = [await begin(door, RENT, MALLORY), await lastRound(door, RENT, MALLORY)];
    at.clock.jump(10 * MINUTE - 1);
    expect((await door.call(inTime, MALLORY)).error).toBeUndefined();
    at.clock.jump(1);
    expect((await door.call(last, MALLORY)).error).toEqual(EXPIRED);
    at.clock.jump(24 * 60 * MINUTE);
    expect((await other.call(last, MALLORY)).error).toEqual(EXPIRED);
    expect(at.moved).toEqual([]);
  });

  it("is not kept alive past the flow's deadline by renewing it", async () => {
    // A form that is never filled in well is put again, each time with a fresh state.
    const options = { flow: { deadline: 20 * MINUTE, repeats: 1000 } };
    const slow = await opened(at, options);
    let round: Wire = { ...RENT };
    let turn: Turn = { result: undefined, error: undefined, notified: [] };
    let passed = 0;
    for (; passed < 60; passed += 5) {
      turn = await slow.call(round, MALLORY);
      if (turn.error !== undefined) break;
      const { requestState, _meta } = turn.result ?? {};
      const { "mcp-parley/expires": expires } = _meta as Record<string, number>;
      expect(expires).toBeLessThanOrEqual(1_700_000_000_000 + 20 * MINUTE);
      round = { ...RENT, requestState, inputResponses: { sure: accept(), memo: accept() } };
      at.clock.jump(5 * MINUTE);
    }
    expect(passed).toBe(20);
    expect(turn.error).toEqual(EXPIRED);
    expect(at.moved).toEqual([]);
  });

  it("is not kept alive by asking for it again and again while its round runs", async () => {
    const last = await lastRound(door, RENT, MALLORY);
    const turn = await door.call(last, MALLORY);
    expect(turn.result).toHaveProperty("content");
    for (let minute = 0; minute < 9; minute += 1) {
      at.clock.jump(MINUTE);
      await other.call(last, MALLORY);
    }
    at.clock.jump(MINUTE);
    expect((await other.call(last, MALLORY)).error).toEqual(EXPIRED);
  });

  it("of a flow that was revoked is refused at once, on every instance", async () => {
    const codec = stored(at.store);
    const one = await opened(at, { codec });
    const two = await opened(at, { codec: stored(at.store) });
    const last = await lastRound(one, RENT, MALLORY);
    const flow = at.events.flatMap((event) => ("flow" in event ? [event.flow] : [])).at(-1);
    expect(await codec.revoke(flow ?? "")).toBe(true);
    for (const instance of [one, two]) {
      expect((await instance.call(last, MALLORY)).error).toEqual(REFUSED);
    }
    expect(refusals(at)).toEqual(["state_revoked", "state_revoked"]);
    expect(at.moved).toEqual([]);
  });

  it("of before a rotation goes on while its key opens, and ends with its key", async () => {
    const fresh = newKeyText();
    const last = await lastRound(door, RENT, MALLORY);
    const rotated = await opened(at, { keys: [fresh, at.keys] });
    const after = await opened(at, { keys: fresh });
    expect((await after.call(last, MALLORY)).error).toEqual(REFUSED);
    expect(refusals(at)).toEqual(["state_unknown_key"]);
    expect(textOf(await rotated.call(last, MALLORY))).toBe("Sent 100 to landlord.");
  });
});
