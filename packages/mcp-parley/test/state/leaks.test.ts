import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { createStates } from "../../src/state/create-states.js";
import { keyRing } from "../../src/state/ring.js";
import { Sealer } from "../../src/state/sealer.js";
import { sealed } from "../../src/state/sealed.js";
import { signed } from "../../src/state/signed.js";
import { stored } from "../../src/state/stored.js";
import { createTickets } from "../../src/state/tickets.js";
import { memoryStore } from "../../src/store/memory.js";
import { asking, testClaims, testClock, testKey } from "./fixtures.js";

const CANARY = "canary-7f3a";
const USER = { issuer: `https://${CANARY}.example`, subject: CANARY, client: CANARY };

/** Everything printing, logging or serialising a value could bring out. */
function shown(value: unknown): string {
  const options = { showHidden: true, depth: 20, getters: true, maxStringLength: null } as const;
  const json = JSON.stringify(value, (_, member: unknown) =>
    member instanceof Map || member instanceof Set ? [...member] : member,
  );
  return [inspect(value, options), String(value), json].join("\n");
}

/** A key's bytes, in every form they are likely to be written. */
function spellings(key: string): string[] {
  const bytes = Buffer.from(key, "base64url");
  return [
    ...(["base64url", "base64", "hex", "latin1"] as const).map((to) =>
      bytes.toString(to).slice(0, 16),
    ),
    [...bytes.subarray(0, 8)].join(", "),
    [...bytes.subarray(0, 8)].join(","),
    bytes
      .subarray(0, 8)
      .toString("hex")
      .replace(/..(?!$)/g, "$& "),
  ];
}

describe("nothing leaks", () => {
  const clock = testClock();
  const key = testKey(1);
  const keys = keyRing([key, testKey(2)]);

  it("from what holds keys and has seen callers and answers, however it is shown", async () => {
    const rows = memoryStore({}, clock.now);
    const claims = testClaims(clock.now(), { journal: { answer: CANARY } });
    const objects: unknown[] = [keys, keys.primary, keys.primary.sealing("state")];
    for (const codec of [sealed(), signed(), stored(rows)]) {
      const states = createStates({ keys, audience: "server", codec }, clock.now);
      const token = await states.seal(claims, USER);
      expect(await states.open(token, asking(USER))).toMatchObject({ ok: true });
      expect(await states.open(token, asking())).toMatchObject({ ok: false });
      objects.push(states, codec);
    }
    const tickets = createTickets({ keys, audience: "server" }, clock.now);
    tickets.open(tickets.seal({ flow: "f", key: "k", principal: USER }), USER);
    const sealer = new Sealer(keys);
    sealer.open("value", sealer.seal("value", CANARY));
    objects.push(tickets, sealer, rows);
    for (const object of objects) {
      const text = shown(object);
      expect(text).not.toContain(CANARY);
      for (const spelling of spellings(key)) expect(text).not.toContain(spelling);
    }
  });

  it("from a refusal, which says its code and nothing else", () => {
    const states = createStates({ keys, audience: "server" }, clock.now);
    const token = states.seal(testClaims(clock.now(), { journal: CANARY }), USER) as string;
    for (const wrong of [token.slice(0, -4) + "AAAA", token + CANARY, CANARY, token]) {
      const opened = states.open(wrong, asking());
      expect(Object.keys(opened).sort()).toEqual(["ok", "refusal", "tell"]);
      expect(shown(opened)).not.toContain(CANARY);
    }
  });

  it("from the error for what is too large, or for a caller with no proper name", () => {
    const states = createStates({ keys, audience: "server", maxToken: 10 }, clock.now);
    const claims = testClaims(clock.now(), { journal: CANARY });
    for (const user of [USER, { ...USER, subject: CANARY + "\ud800" }]) {
      try {
        void states.seal(claims, user);
        expect.unreachable();
      } catch (error) {
        expect(shown(error)).not.toContain(CANARY);
      }
    }
  });
});
