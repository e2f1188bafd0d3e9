import { beforeEach, describe, expect, it } from "vitest";
import { ParleyError } from "../../src/protocol/errors.js";
import { createStates, MAX_TOKEN } from "../../src/state/create-states.js";
import { keyRing } from "../../src/state/ring.js";
import type { States } from "../../src/state/states.js";
import { stored, type StoredCodec } from "../../src/state/stored.js";
import { memoryStore, type MemoryStore } from "../../src/store/memory.js";
import type { Inserted, Row, Store } from "../../src/store/store.js";
import { ALICE, asking, testClaims, testClock, testKey } from "./fixtures.js";

interface Write {
  name: string;
  row: Row;
  holder: string | undefined;
}

describe("states kept in a store", () => {
  let clock: ReturnType<typeof testClock>;
  let memory: MemoryStore;
  let writes: Write[];
  let reads: number;
  let swap: ((name: string, found: Inserted) => Inserted) | undefined;
  let store: Store;
  let codec: StoredCodec;
  let states: States;

  beforeEach(() => {
    clock = testClock();
    memory = memoryStore({}, clock.now);
    writes = [];
    reads = 0;
    swap = undefined;
    store = {
      name: "watched",
      survives: "process",
      insertOrGet(name, row, holder) {
        if (row.notAfter === 0) reads += 1;
        else writes.push({ name, row: { ...row }, holder });
        const found = memory.insertOrGet(name, row, holder);
        return swap === undefined ? found : swap(name, found);
      },
      replaceIfOwner: (...given) => memory.replaceIfOwner(...given),
      deleteIfOwner: (...given) => memory.deleteIfOwner(...given),
    };
    codec = stored(store);
    states = createStates({ keys: keyRing([testKey(1)]), audience: "server", codec }, clock.now);
  });

  const seal = (change = {}, principal = ALICE): string =>
    states.seal(testClaims(clock.now(), change), principal) as string;
  const code = (token: string): string => {
    const opened = states.open(token, asking(ALICE)) as { ok: boolean; refusal?: string };
    return opened.refusal ?? "opened";
  };

  it("have a token of one short length, however much they hold", () => {
    const small = seal();
    const large = seal({ journal: "x".repeat(4 * MAX_TOKEN) });
    expect(small.length).toBe(large.length);
    expect(small.length).toBeLessThan(120);
    expect(code(large)).toBe("opened");
  });

  it("lie there sealed, under names that are hashes, and end by themselves", () => {
    const token = seal({ journal: "canary-answer" });
    expect(writes.length).toBe(2);
    const dump = JSON.stringify(writes);
    for (const text of ["canary", "alice", "AAECAwQFBgcICQoLDA0ODw", token]) {
      expect(dump).not.toContain(text);
    }
    for (const { name } of writes) expect(name).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const [flow, state] = writes;
    expect(flow!.row.notAfter).toBe(clock.now() + 3_600_000);
    expect(state!.row).toMatchObject({ notAfter: clock.now() + 600_000, bodyFor: 600_000 });
    expect(flow!.holder).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(state!.holder).toBe(flow!.holder);
    clock.pass(3_600_000);
    memory.insertOrGet("clears what is due", {
      owner: "",
      mark: "",
      body: "",
      bodyFor: 0,
      notAfter: 0,
    });
    expect(memory.rows).toBe(0);
  });

  it("take no share of the store in the name of an anonymous caller", () => {
    void states.seal(testClaims(clock.now()), undefined);
    expect(writes.map(({ holder }) => holder)).toEqual([undefined, undefined]);
  });

  it("cost the store nothing when the handle is made up", () => {
    const token = seal();
    const bytes = Buffer.from(token.slice(3), "base64url");
    bytes[40]! ^= 1;
    expect(code("h1." + bytes.toString("base64url"))).toBe("state_forged");
    expect(code("h1." + Buffer.alloc(64).toString("base64url"))).toBe("state_unknown_key");
    expect(code("h1." + Buffer.alloc(16).toString("base64url"))).toBe("state_malformed");
    expect(reads).toBe(0);
    expect(code(token)).toBe("opened");
    expect(reads).toBe(2);
  });

  it("are gone after their expiry, by the store's clock", () => {
    const token = seal();
    clock.pass(600_000);
    expect(code(token)).toBe("state_expired");
  });

  it("can be revoked, a whole flow with every state it had and still gets", async () => {
    const first = seal();
    const second = seal({ round: 2, use: "other" });
    const foreign = seal({ flow: "another flow" });
    expect(await codec.revoke("AAECAwQFBgcICQoLDA0ODw")).toBe(true);
    expect([code(first), code(second), code(foreign)]).toEqual([
      "state_revoked",
      "state_revoked",
      "opened",
    ]);
    expect(code(seal({ round: 3 }))).toBe("state_revoked");
    expect(await codec.revoke("AAECAwQFBgcICQoLDA0ODw")).toBe(true);
    clock.pass(599_999);
    expect(code(first)).toBe("state_revoked");
  });

  it("stay revoked until the flow's deadline, and then there is nothing to revoke", async () => {
    seal();
    await codec.revoke("AAECAwQFBgcICQoLDA0ODw");
    clock.pass(3_599_999);
    expect(await codec.revoke("AAECAwQFBgcICQoLDA0ODw")).toBe(true);
    clock.pass(1);
    expect(await codec.revoke("AAECAwQFBgcICQoLDA0ODw")).toBe(false);
    expect(await codec.revoke("never seen")).toBe(false);
  });

  it("are not taken from another row, nor with another flow's row beside them", () => {
    const one = seal({ flow: "one" });
    const rowOfOne = writes[1]!;
    const two = seal({ flow: "two" });
    const [flowOfTwo, rowOfTwo] = writes.slice(2);
    const present = (row: Row): Inserted => ({ kind: "present", row: { ...row, age: 0 } });
    // Somebody who can write to the store shows state one where two is asked for, and so on.
    swap = (name, found) => (name === rowOfTwo!.name ? present(rowOfOne.row) : found);
    expect(code(two)).toBe("state_forged");
    swap = (name, found) =>
      name === rowOfOne.name ? present({ ...rowOfOne.row, mark: flowOfTwo!.name }) : found;
    expect(code(one)).toBe("state_forged");
    swap = (name, found) =>
      name === rowOfOne.name ? present({ ...rowOfOne.row, body: "not base64url!" }) : found;
    expect(code(one)).toBe("state_forged");
    swap = (name, found) =>
      name === rowOfOne.name ? present({ ...rowOfOne.row, body: "" }) : found;
    expect(code(one)).toBe("state_forged");
    swap = undefined;
    expect([code(one), code(two)]).toEqual(["opened", "opened"]);
  });

  it("are refused when the flow's own row is gone", () => {
    const token = seal({ deadline: clock.now() + 1 });
    clock.pass(1);
    expect(code(token)).toBe("state_revoked");
  });

  it("are not kept past the bound on their size", () => {
    const bounded = stored(memory, { maxPayload: 2000 });
    const small = createStates(
      { keys: keyRing([testKey(1)]), audience: "server", codec: bounded },
      clock.now,
    );
    const claims = testClaims(clock.now(), { journal: "x".repeat(2000) });
    expect(() => small.seal(claims, ALICE)).toThrow(
      expect.objectContaining({
        code: "state_too_large",
        message: expect.stringMatching(
          /^The state of this flow is 2\d{3} bytes and the store takes 2000\. Keep a handle.*`maxPayload`/,
        ) as unknown,
      }),
    );
    expect(memory.rows).toBe(0);
    expect(() => seal({ journal: "x".repeat(1024 * 1024) })).toThrow(
      expect.objectContaining({ code: "state_too_large" }),
    );
  });

  it("may be exactly as large as may be", () => {
    const sized = (maxPayload: number): (() => unknown) => {
      const context = { issuedAt: 0, expiresAt: clock.now() + 1, deadline: clock.now() + 1 };
      const key = keyRing([testKey(1)]).primary;
      const sealing = { key, flow: "f", holder: undefined, ...context };
      return () => stored(memory, { maxPayload }).seal("{}".padEnd(100), sealing);
    };
    expect(sized(100)).not.toThrow();
    expect(sized(99)).toThrow(expect.objectContaining({ code: "state_too_large" }));
    expect(stored(memory).name).toBe("stored");
  });

  it("are said to be revoked only where the store shows that they are", async () => {
    seal();
    const flow = "AAECAwQFBgcICQoLDA0ODw";
    let looks = 0;
    // What an instance that can't write would see: the row as it was.
    swap = (_name, found) => {
      looks += 1;
      return found.kind === "present"
        ? { kind: "present", row: { ...found.row, owner: "as before" } }
        : found;
    };
    expect(await codec.revoke(flow)).toBe(false);
    // Or one whose row ended between the two looks.
    looks = 0;
    swap = (_name, found) => (++looks === 2 ? { kind: "past" } : found);
    expect(await codec.revoke(flow)).toBe(false);
  });

  it("fail with the store, and are never taken for refused", async () => {
    const token = seal();
    const error = new ParleyError("store_unavailable", "gone");
    swap = () => {
      throw error;
    };
    expect(() => states.open(token, asking(ALICE))).toThrow(error);
    expect(() => seal()).toThrow(error);
    await expect(codec.revoke("x")).rejects.toBe(error);
  });
});
