import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { StateCodec } from "../../src/state/codec.js";
import { createStates } from "../../src/state/create-states.js";
import { keyRing } from "../../src/state/ring.js";
import { sealed } from "../../src/state/sealed.js";
import { signed } from "../../src/state/signed.js";
import { stored } from "../../src/state/stored.js";
import { memoryStore } from "../../src/store/memory.js";
import { chacha } from "./custom-codec.js";
import { ALICE, asking, BOB, later, REQUEST, testClaims, testClock, testKey } from "./fixtures.js";

interface Made {
  codec: StateCodec;
  /** Whether a token has one spelling, down to the last bit. */
  strict: boolean;
}

const CODECS: Record<string, (now: () => number) => Made> = {
  sealed: () => ({ codec: sealed(), strict: true }),
  signed: () => ({ codec: signed(), strict: true }),
  stored: (now) => ({ codec: stored(memoryStore({}, now)), strict: true }),
  "stored, over a store one has to wait for": (now) => ({
    codec: stored(later(memoryStore({}, now))),
    strict: true,
  }),
  "one of your own": () => ({ codec: chacha, strict: true }),
};

describe.each(Object.keys(CODECS))("the codec: %s", (name) => {
  function setUp(keys = [testKey(1)]) {
    const clock = testClock();
    const { codec } = CODECS[name]!(clock.now);
    const at = (texts: string[], audience = "server") =>
      createStates({ keys: keyRing(texts), audience, codec }, clock.now);
    return { clock, codec, at, states: at(keys) };
  }
  const code = async (opened: ReturnType<ReturnType<typeof createStates>["open"]>) => {
    const result = await opened;
    return result.ok ? "opened" : result.refusal;
  };

  it("gives back what was sealed", async () => {
    const { clock, states } = setUp();
    const claims = testClaims(clock.now(), { journal: { ключ: ["\ud800", 1.5, null] } });
    const token = await states.seal(claims, ALICE);
    expect(await states.open(token, asking(ALICE))).toEqual({ ok: true, claims });
    // A token says nothing about having been opened before: that is the ledger's.
    expect(await states.open(token, asking(ALICE))).toEqual({ ok: true, claims });
  });

  it("is under every claim check", async () => {
    const { clock, at, states } = setUp();
    const token = await states.seal(testClaims(clock.now()), ALICE);
    expect(await code(at([testKey(1)], "other").open(token, asking(ALICE)))).toBe("state_audience");
    expect(await code(states.open(token, asking(BOB)))).toBe("state_principal");
    expect(await code(states.open(token, asking(undefined)))).toBe("state_principal");
    expect(await code(states.open(token, asking(ALICE, "other")))).toBe("state_request");
    const early = await states.seal(testClaims(clock.now() + 60_001), ALICE);
    expect(await code(states.open(early, asking(ALICE)))).toBe("state_not_yet");
    const short = testClaims(clock.now(), { deadline: clock.now() + 1000 });
    const ending = await states.seal(short, ALICE);
    clock.pass(1000);
    expect(await code(states.open(ending, asking(ALICE)))).toMatch(/state_(deadline|revoked)/);
    clock.pass(600_000);
    expect(await code(states.open(token, asking(ALICE)))).toBe("state_expired");
  });

  it("goes by the key in the token: old ones open while they are enabled", async () => {
    const { clock, at, states } = setUp();
    const token = await states.seal(testClaims(clock.now()), ALICE);
    const rotated = at([testKey(2), testKey(1)]);
    expect(await code(rotated.open(token, asking(ALICE)))).toBe("opened");
    expect(await code(rotated.open(token, asking(BOB)))).toBe("state_principal");
    expect(await code(at([testKey(2)]).open(token, asking(ALICE)))).toBe("state_unknown_key");
  });

  it("opens no token with any character changed, left out or added", async () => {
    const { clock, states } = setUp();
    const claims = testClaims(clock.now(), { asked: [], journal: null, epoch: "" });
    const token = await states.seal(claims, ALICE);
    for (let i = 0; i <= token.length; i += 1) {
      const swapped = token[i] === "a" ? "b" : "a";
      for (const rest of [swapped + token.slice(i + 1), token.slice(i + 1), "a" + token.slice(i)]) {
        const changed = token.slice(0, i) + rest;
        if (changed === token) continue;
        expect(await code(states.open(changed, asking(ALICE))), changed).toMatch(
          /^state_(malformed|unknown_key|forged|expired)$/,
        );
      }
    }
  });

  it("opens nothing made up, and nothing of it throws", async () => {
    const { clock, states } = setUp();
    const token = await states.seal(testClaims(clock.now()), ALICE);
    const prefix = token.slice(0, 3);
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), fc.base64String(), async (text, base64) => {
        for (const made of [text, prefix + text, prefix + base64, `${prefix}${base64}.${base64}`]) {
          expect(await code(states.open(made, asking(ALICE)))).toMatch(
            /^state_(malformed|unknown_key)$/,
          );
        }
      }),
    );
  });

  it("opens no other codec's tokens", async () => {
    const { clock, states } = setUp();
    for (const [other, make] of Object.entries(CODECS)) {
      const { codec } = make(clock.now);
      if (other === name || name.startsWith(codec.name)) continue;
      const foreign = createStates(
        { keys: keyRing([testKey(1)]), audience: "server", codec },
        clock.now,
      );
      const token = await foreign.seal(testClaims(clock.now()), ALICE);
      expect(await code(states.open(token, asking(ALICE)))).toBe("state_malformed");
      const body = token.slice(token.indexOf(".") + 1);
      const own = await states.seal(testClaims(clock.now()), ALICE);
      const prefixed = own.slice(0, own.indexOf(".") + 1) + body;
      expect(await code(states.open(prefixed, asking(ALICE)))).not.toBe("opened");
    }
  });
});

describe("a signed state", () => {
  it("can be read by anyone, and names no principal", async () => {
    const states = createStates({
      keys: keyRing([testKey(1)]),
      audience: "server",
      codec: signed(),
    });
    const token = await states.seal(testClaims(Date.now()), ALICE);
    const [, payload, proof] = token.split(".");
    const read = JSON.parse(Buffer.from(payload!, "base64url").toString()) as Record<
      string,
      unknown
    >;
    expect(read).toMatchObject({
      v: 1,
      aud: "server",
      req: REQUEST,
      journal: { sure: { action: "accept" } },
    });
    expect(JSON.stringify(read)).not.toContain("alice");
    expect(Buffer.from(proof!, "base64url").length).toBe(40);
  });

  it("is no state without its proof", () => {
    const keys = keyRing([testKey(1)]);
    expect(signed().name).toBe("signed");
    for (const token of ["s1.", "s1.e30", `s1.${"e30".repeat(40)}`]) {
      expect(signed().open(token, keys)).toBe("state_malformed");
    }
  });

  it("takes neither another's proof nor another's payload", async () => {
    const clock = testClock();
    const codec = signed();
    const states = createStates(
      { keys: keyRing([testKey(1)]), audience: "server", codec },
      clock.now,
    );
    const one = (await states.seal(testClaims(clock.now()), ALICE)).split(".");
    const other = (await states.seal(testClaims(clock.now(), { round: 2 }), ALICE)).split(".");
    const crossed = [one[0], one[1], other[2]].join(".");
    expect(await states.open(crossed, asking(ALICE))).toMatchObject({ refusal: "state_forged" });
    const parts = [
      [one[0], one[1]],
      [one[0], one[1], ""],
      [...one, ""],
      [one[0], "", one[2]],
    ];
    for (const wrong of parts) {
      expect((await states.open(wrong.join("."), asking(ALICE))).ok).toBe(false);
    }
  });
});
