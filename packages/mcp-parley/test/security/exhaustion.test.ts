import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { stored } from "../../src/entry/index.js";
import { createStates } from "../../src/state/create-states.js";
import { keyRing } from "../../src/state/ring.js";
import { sealed } from "../../src/state/sealed.js";
import { signed } from "../../src/state/signed.js";
import { memoryStore } from "../../src/store/memory.js";
import type { Store } from "../../src/store/store.js";
import { accept, request, textOf } from "../support/caller.js";
import { headersOf } from "../support/hosts.js";
import type { Wire } from "../support/hosts.js";
import { ALICE, MALLORY, RENT, REFUSED, bank, begin, lastRound, open, scene } from "./bank.js";
import type { Door, Scene } from "./bank.js";

/** Attacks that want the server to run out of something. `flow/zoo.test.ts` abandons 10,000 flows. */
let at: Scene;
const doors: Door[] = [];

async function opened(...of: Parameters<typeof bank>): Promise<Door> {
  const made = await open(bank(...of));
  doors.push(made);
  return made;
}

beforeEach(() => {
  at = scene();
});
afterEach(async () => {
  await Promise.all(doors.splice(0).map((each) => each.close()));
});

/** A store that counts what it is asked. */
function counting(store: Store): Store & { asked: number } {
  const counted = {
    name: store.name,
    survives: store.survives,
    asked: 0,
    insertOrGet: (...of: Parameters<Store["insertOrGet"]>) => {
      counted.asked += 1;
      return store.insertOrGet(...of);
    },
    replaceIfOwner: (...of: Parameters<Store["replaceIfOwner"]>) => {
      counted.asked += 1;
      return store.replaceIfOwner(...of);
    },
    deleteIfOwner: (...of: Parameters<Store["deleteIfOwner"]>) => {
      counted.asked += 1;
      return store.deleteIfOwner(...of);
    },
  };
  return counted;
}

describe("states under keys nobody has", () => {
  const under = (id: Buffer, size: number): Buffer => Buffer.concat([id, randomBytes(size)]);
  const MADE: Record<string, () => string> = {
    sealed: () => `p1.${under(randomBytes(8), 296).toString("base64url")}`,
    signed: () =>
      `s1.${randomBytes(200).toString("base64url")}.${under(randomBytes(8), 32).toString("base64url")}`,
    stored: () => `h1.${under(randomBytes(8), 56).toString("base64url")}`,
  };
  const codecs = {
    sealed: () => sealed(),
    signed: () => signed(),
    stored: (store: Store) => stored(store),
  };

  it.each(Object.entries(codecs))(
    "cost one look-up each under %s: no key is tried, none is derived, nothing is remembered",
    (name, make) => {
      const store = counting(at.store);
      const keys = keyRing([at.keys]);
      const find = vi.spyOn(keys, "find");
      const uses = [
        vi.spyOn(keys.primary, "sealing"),
        vi.spyOn(keys.primary, "mac"),
        vi.spyOn(keys.primary, "derive"),
      ];
      const states = createStates({ keys, audience: "bank", codec: make(store) });
      const expected = { principal: MALLORY, request: () => "" };
      for (let n = 0; n < 1_000; n += 1) {
        const opened = states.open(MADE[name]?.() ?? "", expected);
        expect(opened).toEqual({ ok: false, refusal: "state_unknown_key", tell: undefined });
      }
      expect(find).toHaveBeenCalledTimes(1_000);
      for (const use of uses) expect(use).not.toHaveBeenCalled();
      expect(store.asked).toBe(0);
      expect(keys.ids).toHaveLength(1);
    },
  );

  it("reach neither the store nor a handler of the server, nor its log", async () => {
    const store = counting(at.store);
    const door = await opened(at, { store });
    const before = at.logged.length;
    for (let n = 0; n < 30; n += 1) {
      const made = MADE["sealed"]?.();
      const { error } = await door.call({ ...RENT, requestState: made }, MALLORY);
      expect(error).toEqual(REFUSED);
    }
    expect(store.asked).toBe(0);
    expect(at.given).toEqual([]);
    expect(at.logged).toHaveLength(before);
  });
});

describe("a principal who begins and answers as much as they can", () => {
  it("fills their own share of the store, is refused, and leaves the others' alone", async () => {
    const store = memoryStore({ maxRows: 24 }, () => at.clock.now());
    const door = await opened(at, { store });
    let served = 0;
    for (let n = 0; n < 24; n += 1) {
      const { error } = await door.call(await begin(door, RENT, MALLORY), MALLORY);
      if (error === undefined) served += 1;
      else expect(error).toEqual({ code: -32603, message: "Internal error" });
    }
    expect(served).toBeGreaterThan(5);
    expect(served).toBeLessThan(24);
    expect(textOf(await door.call(await lastRound(door, RENT, ALICE), ALICE))).toBe(
      "Sent 100 to landlord.",
    );
  });

  it("leaves nothing in the store that outlives their states", async () => {
    const store = memoryStore({ maxRows: 24 }, () => at.clock.now());
    const door = await opened(at, { store });
    for (let n = 0; n < 24; n += 1) await door.call(await begin(door, RENT, MALLORY), MALLORY);
    at.clock.jump(60 * 60_000);
    expect((await door.call(await begin(door, RENT, MALLORY), MALLORY)).error).toBeUndefined();
  });

  it("costs the store nothing by beginning: what is open lies with the client", async () => {
    const store = counting(at.store);
    const door = await opened(at, { store });
    for (let n = 0; n < 20; n += 1) await begin(door, RENT, MALLORY);
    expect(store.asked).toBe(0);
  });
});

describe("a request that is too much", () => {
  it.each([
    ["deeper than a digest goes", 40, -32602],
    ["deeper than a message goes", 100, -32600],
    ["until a stack would end", 100_000, -32600],
  ])("with arguments nested %s is refused, and nothing runs", async (_, depth, code) => {
    const door = await opened(at);
    const message = request("tools/call", { name: "connect", arguments: {} });
    const deep = `"arguments":{"deep":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    const body = JSON.stringify(message).replace('"arguments":{}', deep);
    const { text } = await door.knock(body, headersOf(message, MALLORY));
    expect(JSON.parse(text)).toMatchObject({ error: { code } });
    expect(at.tickets).toEqual([]);
  });

  it("with a body larger than four megabytes is refused unread", async () => {
    const door = await opened(at);
    const message = request("tools/call", RENT);
    const body = JSON.stringify({ ...message, pad: "x".repeat(4 * 1024 * 1024) });
    const { status } = await door.knock(body, headersOf(message, MALLORY));
    expect(status).toBe(413);
  });

  it("with answers that grow the state round by round ends at the state's limit", async () => {
    const door = await opened(at, { maxState: 4_000 });
    const first = await begin(door, RENT, MALLORY);
    const note = (size: number): Wire => ({
      ...first,
      inputResponses: { sure: accept({ pad: "x".repeat(size) }) },
    });
    const { result } = await door.call(note(8_000), MALLORY);
    expect(result).toMatchObject({ isError: true });
    expect(at.moved).toEqual([]);
  });
});
