import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { signed, stored } from "../../src/entry/index.js";
import type { StateCodec } from "../../src/entry/index.js";
import { newKeyText } from "../../src/state/key-text.js";
import { sealed } from "../../src/state/sealed.js";
import { MALLORY, REFUSED, bank, begin, lastRound, open, refusals, scene } from "./bank.js";
import type { Door, Scene } from "./bank.js";

/** Attacks with states that the bank never issued, or not in this form. */
let at: Scene;
let door: Door;
const doors: Door[] = [];

async function opened(...of: Parameters<typeof bank>): Promise<Door> {
  const made = await open(bank(...of));
  doors.push(made);
  return made;
}

beforeEach(async () => {
  at = scene();
  door = await opened(at);
});
afterEach(async () => {
  await Promise.all(doors.splice(0).map((each) => each.close()));
});

/** Sends an honest round with another state: refused, and nothing has happened. */
async function refused(state: unknown, honest?: Record<string, unknown>): Promise<void> {
  const round = honest ?? (await lastRound(door, undefined, MALLORY));
  const { error } = await door.call({ ...round, requestState: state }, MALLORY);
  expect(error).toEqual(REFUSED);
  expect(at.moved).toEqual([]);
}

const box = (state: unknown): Buffer => Buffer.from((state as string).slice(3), "base64url");
const token = (bytes: Uint8Array): string => `p1.${Buffer.from(bytes).toString("base64url")}`;

describe("a state that was made up", () => {
  it("of the right form, under a key that the attacker made, is refused", async () => {
    const own = await opened({ ...at, keys: newKeyText() });
    await refused((await lastRound(own, undefined, MALLORY))["requestState"]);
    expect(refusals(at)).toEqual(["state_unknown_key"]);
  });

  it("under a key that the attacker made, with the bank's key id put on it, is refused", async () => {
    const own = await opened({ ...at, keys: newKeyText() });
    const honest = await lastRound(door, undefined, MALLORY);
    const forged = box((await lastRound(own, undefined, MALLORY))["requestState"]);
    forged.set(box(honest["requestState"]).subarray(0, 8));
    await refused(token(forged), honest);
    expect(refusals(at)).toEqual(["state_forged"]);
  });

  it.each([7, null, true, {}, [], ["p1.AAAA"], "", "p1.", "null", "{}"])(
    "as %j is refused, and never taken for a first call",
    async (state) => {
      await refused(state);
    },
  );

  it("as JSON or as a token without protection is refused: there is no such format", async () => {
    const payload = JSON.stringify({ v: 1, aud: "bank", journal: [] });
    const encoded = Buffer.from(payload).toString("base64url");
    for (const state of [payload, encoded, `p0.${encoded}`, `p1.${encoded}`, `s1.${encoded}.`]) {
      await refused(state);
    }
  });

  it("in the format of another codec, made with the bank's own key, is refused", async () => {
    const codecs: StateCodec[] = [sealed(), signed(), stored(at.store)];
    for (const codec of codecs) {
      const weaker = await opened(at, { codec });
      const { requestState } = await lastRound(weaker, undefined, MALLORY);
      for (const other of codecs) {
        if (other === codec) continue;
        const stronger = await opened(at, { codec: other });
        const round = await lastRound(stronger, undefined, MALLORY);
        const { error } = await stronger.call({ ...round, requestState }, MALLORY);
        expect([codec.name, other.name, error]).toEqual([codec.name, other.name, REFUSED]);
      }
    }
    expect(at.moved).toEqual([]);
  });
});

describe("a state that was changed", () => {
  it("by a single bit anywhere is refused", async () => {
    const honest = await lastRound(door, undefined, MALLORY);
    const bytes = box(honest["requestState"]);
    for (let bit = 0; bit < bytes.length * 8; bit += 37) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      await refused(token(changed), honest);
    }
  });

  it("into parts of two honest states is refused, wherever it is cut", async () => {
    const first = box((await begin(door, undefined, MALLORY))["requestState"]);
    const honest = await lastRound(door, undefined, MALLORY);
    const last = box(honest["requestState"]);
    for (const cut of [8, 16, 32, 48, last.length >> 1, last.length - 16]) {
      const head = Buffer.concat([last.subarray(0, cut), first.subarray(cut)]);
      const tail = Buffer.concat([first.subarray(0, cut), last.subarray(cut)]);
      for (const spliced of [head, tail]) {
        if (!spliced.equals(last) && !spliced.equals(first)) await refused(token(spliced), honest);
      }
    }
  });

  it("in its spelling alone is refused: one state has one text", async () => {
    const honest = await lastRound(door, undefined, MALLORY);
    const state = honest["requestState"] as string;
    const spellings = [
      `${state}=`,
      ` ${state}`,
      `${state}\n`,
      `${state}\u0000`,
      state.toUpperCase(),
      `p1.${box(state).toString("base64")}=`,
      encodeURIComponent(state).replaceAll(".", "%2E"),
      state.replace("p1.", "ｐ1."),
    ];
    for (const spelling of spellings) await refused(spelling, honest);
  });
});

describe("a state that costs", () => {
  it("a megabyte of junk is refused by its length: nothing reads it", async () => {
    const read: string[] = [];
    const codec: StateCodec = {
      ...sealed(),
      open: (text, keys) => {
        read.push(text);
        return sealed().open(text, keys);
      },
    };
    const counted = await opened(at, { codec });
    const honest = await lastRound(counted, undefined, MALLORY);
    expect(read).toHaveLength(1);
    for (const junk of ["A", "p1.", "\u{1f600}", "{", "["]) {
      const requestState = `p1.${junk.repeat((1 << 20) / junk.length)}`;
      const { error } = await counted.call({ ...honest, requestState }, MALLORY);
      expect(error).toEqual(REFUSED);
    }
    expect(read).toHaveLength(1);
    expect(refusals(at)).toEqual(Array(5).fill("state_too_large"));
  });
});
