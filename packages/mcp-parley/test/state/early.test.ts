import { describe, expect, it } from "vitest";
import { createStates } from "../../src/state/create-states.js";
import { keyRing } from "../../src/state/ring.js";
import type { OpenedEarly, Unbound } from "../../src/state/states.js";
import { ALICE, BOB, REQUEST, later, testClaims, testClock, testKey } from "./fixtures.js";
import { memoryStore } from "../../src/store/memory.js";
import { stored } from "../../src/state/stored.js";

function setUp(audience = "server") {
  const clock = testClock();
  const states = createStates({ keys: keyRing([testKey(1)]), audience }, clock.now);
  const claims = testClaims(clock.now());
  const token = states.seal(claims, ALICE) as string;
  return { clock, states, claims, token };
}

function unbound(opened: unknown): Unbound {
  const early = opened as OpenedEarly;
  if (!early.ok) throw new Error(early.refusal);
  return early.state;
}

describe("a state opened before its request is known", () => {
  it("gives its claims for the request it is bound to, and for no other", () => {
    const { states, claims, token } = setUp();
    const state = unbound(states.openEarly(token, ALICE));
    expect(Object.values(state).every((member) => typeof member === "function")).toBe(true);
    expect(state.bind("other")).toEqual({ ok: false, refusal: "state_request", tell: undefined });
    expect(state.bind("")).toMatchObject({ ok: false, refusal: "state_request" });
    expect(state.bind(REQUEST)).toEqual({ ok: true, claims });
  });

  it("is refused for another caller, another server and other bytes, and tells nobody why", () => {
    const { states, token } = setUp();
    expect(states.openEarly(token, BOB)).toEqual({
      ok: false,
      refusal: "state_principal",
    });
    expect(states.openEarly(token, undefined)).toMatchObject({
      refusal: "state_principal",
    });
    expect(setUp("other").states.openEarly(token, ALICE)).toMatchObject({
      refusal: "state_audience",
    });
    for (const wrong of [undefined, 7, "", token + " ", token.slice(0, -1)]) {
      expect(states.openEarly(wrong, ALICE)).toMatchObject({ ok: false });
    }
  });

  it("is held against the time when it is opened, and again when it is bound", () => {
    const { clock, states, token } = setUp();
    const state = unbound(states.openEarly(token, ALICE));
    clock.pass(600_000);
    expect(state.bind(REQUEST)).toEqual({ ok: false, refusal: "state_expired", tell: "expired" });
    expect(states.openEarly(token, ALICE)).toEqual({ ok: false, refusal: "state_expired" });
  });

  it("opens over a codec that has to wait", async () => {
    const clock = testClock();
    const store = later(memoryStore({}, clock.now));
    const codec = stored(store);
    const states = createStates({ keys: keyRing([testKey(1)]), audience: "s", codec }, clock.now);
    const claims = testClaims(clock.now());
    const token = await states.seal(claims, ALICE);
    expect(unbound(await states.openEarly(token, ALICE)).bind(REQUEST)).toEqual({
      ok: true,
      claims,
    });
  });
});
