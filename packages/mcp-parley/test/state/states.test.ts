import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { JSONValue } from "../../src/protocol/json.js";
import type { Principal } from "../../src/state/principal.js";
import { CLOCK_SKEW, createStates, MAX_TOKEN } from "../../src/state/create-states.js";
import { keyRing } from "../../src/state/ring.js";
import { sealed } from "../../src/state/sealed.js";
import type { Expected, Opened, States } from "../../src/state/states.js";
import { ALICE, BOB, REQUEST, testClaims, testClock, testKey } from "./fixtures.js";

const asked = (principal?: Principal, request = REQUEST): Expected => ({
  principal,
  request: () => request,
});

function setUp(keys = [testKey(1)], audience = "server") {
  const clock = testClock();
  const states = createStates({ keys: keyRing(keys), audience }, clock.now);
  return { clock, states };
}

const seal = (states: States, ...rest: Parameters<States["seal"]>): string =>
  states.seal(...rest) as string;
const open = (states: States, token: unknown, expected: Expected): Opened =>
  states.open(token, expected) as Opened;
const refusal = (states: States, token: unknown, expected: Expected): string => {
  const opened = open(states, token, expected);
  return opened.ok ? "opened" : opened.refusal;
};

describe("a state", () => {
  it("comes back as it went, and nobody waits", () => {
    const { clock, states } = setUp();
    const claims = testClaims(clock.now(), {
      epoch: "e1",
      asked: [
        { key: "__proto__", digest: "d" },
        { key: "", digest: "" },
      ],
      journal: { deep: [1, { ключ: "\ud800 lone", n: null }], __proto__: null },
    });
    const token = seal(states, claims, ALICE);
    expect(token).toMatch(/^p1\.[A-Za-z0-9_-]+$/);
    expect(open(states, token, asked(ALICE))).toEqual({ ok: true, claims });
  });

  it("comes back whatever its journal holds", () => {
    const { clock, states } = setUp();
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (journal) => {
        const claims = testClaims(clock.now(), {
          journal: JSON.parse(JSON.stringify(journal)) as JSONValue,
        });
        expect(open(states, seal(states, claims, undefined), asked())).toEqual({
          ok: true,
          claims,
        });
      }),
    );
  });

  it("shows nothing of what it holds, not even roughly how long it is", () => {
    const { clock, states } = setUp();
    const sealedWith = (content: string): string =>
      seal(states, testClaims(clock.now(), { journal: { sure: content } }), ALICE);
    const lengths = new Set(
      ["", "y", "no", "perhaps later"].map((content) => sealedWith(content).length),
    );
    expect(lengths.size).toBe(1);
    expect(sealedWith("x".repeat(300)).length).toBeGreaterThan([...lengths][0]!);
    const text = Buffer.from(sealedWith("canary-answer").slice(3), "base64url").toString("latin1");
    for (const word of ["canary", "alice", "server", "journal", "flow", REQUEST]) {
      expect(text).not.toContain(word);
    }
  });

  it("is another token each time", () => {
    const { clock, states } = setUp();
    const claims = testClaims(clock.now());
    expect(seal(states, claims, ALICE)).not.toBe(seal(states, claims, ALICE));
  });
});

describe("the claims are checked in order", () => {
  const { clock, states } = setUp();
  const token = seal(states, testClaims(clock.now()), ALICE);

  it("audience before principal", () => {
    const other = createStates({ keys: keyRing([testKey(1)]), audience: "server2" }, clock.now);
    expect(refusal(other, token, asked(BOB, "other"))).toBe("state_audience");
  });

  it("principal before request, which is not even computed", () => {
    let computed = 0;
    const expected = { principal: BOB, request: () => (computed++, "other") };
    expect(refusal(states, token, expected)).toBe("state_principal");
    expect(computed).toBe(0);
  });

  it("request before time, so that only who owns the request learns of expiry", () => {
    const late = setUp();
    const old = seal(late.states, testClaims(late.clock.now()), ALICE);
    late.clock.pass(10_000_000);
    expect(open(late.states, old, asked(ALICE, "other"))).toEqual({
      ok: false,
      refusal: "state_request",
      tell: undefined,
    });
    expect(open(late.states, old, asked(BOB))).toMatchObject({
      refusal: "state_principal",
      tell: undefined,
    });
    expect(open(late.states, old, asked(ALICE))).toEqual({
      ok: false,
      refusal: "state_expired",
      tell: "expired",
    });
  });

  it("expiry before deadline", () => {
    const { clock, states } = setUp();
    const start = clock.now();
    const renewed = testClaims(start, { expiresAt: start + 9_000, deadline: start + 5_000 });
    const token = seal(states, renewed, ALICE);
    expect(open(states, token, asked(ALICE)).ok).toBe(true);
    clock.pass(4_999);
    expect(open(states, token, asked(ALICE)).ok).toBe(true);
    clock.pass(1);
    expect(open(states, token, asked(ALICE))).toMatchObject({
      refusal: "state_deadline",
      tell: "expired",
    });
    clock.pass(4_000);
    expect(refusal(states, token, asked(ALICE))).toBe("state_expired");
  });
});

describe("time", () => {
  it("ends a state at its expiry, to the millisecond", () => {
    const { clock, states } = setUp();
    const token = seal(states, testClaims(clock.now()), ALICE);
    clock.pass(599_999);
    expect(open(states, token, asked(ALICE)).ok).toBe(true);
    clock.pass(1);
    expect(refusal(states, token, asked(ALICE))).toBe("state_expired");
  });

  it("may run 60 s behind the clock that issued the state, and no more", () => {
    const { clock, states } = setUp();
    const early = (ahead: number): Opened =>
      open(states, seal(states, testClaims(clock.now() + ahead), ALICE), asked(ALICE));
    expect(CLOCK_SKEW).toBe(60_000);
    expect(early(60_000).ok).toBe(true);
    expect(early(60_001)).toEqual({ ok: false, refusal: "state_not_yet", tell: undefined });
  });
});

describe("the principal", () => {
  const { clock, states } = setUp();
  const { issuer, subject } = ALICE;
  const principals: [string, Principal | undefined][] = [
    ["nobody", undefined],
    ["Alice by client c1", ALICE],
    ["Alice by client c2", { issuer, subject, client: "c2" }],
    ["Alice, client unknown", { issuer, subject }],
    ["Alice, client empty", { issuer, subject, client: "" }],
    ["Bob by client c1", BOB],
    ["another issuer's Alice", { issuer: "https://other.example", subject, client: "c1" }],
    ["one whose names run together", { issuer: issuer + subject, subject: "", client: "c1" }],
    ["one that spells the parts out", { issuer, subject: subject + "\u0000c1" }],
    ["one called anonymous", { issuer: "anonymous", subject: "" }],
  ];

  it("is the one the state was made for, both ways, for each pair of ten", () => {
    for (const [, owner] of principals) {
      const token = seal(states, testClaims(clock.now()), owner);
      for (const [, caller] of principals) {
        // A copy, as each request brings a new object.
        const copy = caller === undefined ? undefined : { ...caller };
        const expected = caller === owner ? "opened" : "state_principal";
        expect(refusal(states, token, asked(copy))).toBe(expected);
      }
    }
  });

  it("is checked under the key of the token, when the primary is another by now", () => {
    const token = seal(states, testClaims(clock.now()), ALICE);
    const rotated = createStates(
      { keys: keyRing([testKey(2), testKey(1)]), audience: "server" },
      clock.now,
    );
    expect(refusal(rotated, token, asked(ALICE))).toBe("opened");
    expect(refusal(rotated, token, asked(BOB))).toBe("state_principal");
    expect(refusal(rotated, token, asked())).toBe("state_principal");
  });

  it("may not be ill-formed Unicode, which two names could share", () => {
    const lone = { issuer, subject: "\ud800" };
    expect(() => states.seal(testClaims(clock.now()), lone)).toThrow(
      expect.objectContaining({
        code: "usage",
        message: expect.stringContaining("Refuse such a caller when it authenticates") as unknown,
      }),
    );
    const token = seal(states, testClaims(clock.now()), { issuer, subject: "\ufffd" });
    expect(refusal(states, token, asked(lone))).toBe("state_principal");
  });

  it("may be any of more callers than are remembered", () => {
    const many = Array.from({ length: 1100 }, (_, i) => ({ issuer, subject: `user ${i}` }));
    const claims = testClaims(clock.now());
    const tokens = many.map((principal) => seal(states, claims, principal));
    const own = tokens.filter((token, i) => open(states, token, asked(many[i])).ok);
    const others = tokens.filter((token, i) => open(states, token, asked(many[i - 1])).ok);
    expect([own.length, others.length]).toEqual([1100, 0]);
  });
});

describe("keys", () => {
  it("that are not on the ring open nothing", () => {
    const { clock, states } = setUp([testKey(1)]);
    const token = seal(states, testClaims(clock.now()), ALICE);
    expect(refusal(setUp([testKey(2)]).states, token, asked(ALICE))).toBe("state_unknown_key");
    expect(refusal(setUp([testKey(2), testKey(1)]).states, token, asked(ALICE))).toBe("opened");
  });
});

describe("what is no state", () => {
  const { clock, states } = setUp();

  it.each([
    ["undefined", undefined],
    ["a number", 7],
    ["an array", ["p1."]],
    ["an object with a toString", { toString: () => "p1." }],
    ["a String object", new String("p1.")],
    ["nothing", ""],
    ["the prefix alone", "p1."],
    ["no prefix", Buffer.alloc(80).toString("base64url")],
    ["another prefix", "p2." + Buffer.alloc(80).toString("base64url")],
    ["no base64url", "p1.{}"],
    ["too few bytes", "p1." + Buffer.alloc(47).toString("base64url")],
  ])("is refused as malformed: %s", (_, token) => {
    expect(refusal(states, token, asked(ALICE))).toBe("state_malformed");
  });

  it("is refused by its size before anything else", () => {
    const at = (length: number): string => "p1." + "A".repeat(length - 3);
    expect(MAX_TOKEN).toBe(32_768);
    expect(refusal(states, at(MAX_TOKEN + 1), asked())).toBe("state_too_large");
    expect(refusal(states, at(MAX_TOKEN), asked())).not.toBe("state_too_large");
  });

  it("costs less to refuse than to parse, a megabyte of it: no character of it is read", () => {
    // Parsing reads every character. Whatever could read one here is counted instead.
    const reader = { ...sealed(), open: vi.fn(sealed().open) };
    const keys = keyRing([testKey(1)]);
    const find = vi.spyOn(keys, "find");
    const counted = createStates({ keys, audience: "server", codec: reader }, clock.now);
    const junk = "A".repeat(1 << 20);
    for (const token of [junk, "p1." + junk, "s1." + junk + ".", "{" + junk]) {
      expect(refusal(counted, token, asked(ALICE))).toBe("state_too_large");
    }
    expect(reader.open).not.toHaveBeenCalled();
    expect(find).not.toHaveBeenCalled();
    expect(refusal(counted, "p1.AAAA", asked(ALICE))).toBe("state_malformed");
    expect(reader.open).toHaveBeenCalledOnce();
  });

  it("cannot be made: too large a journal is an error that says what is large", () => {
    const journal = { notes: "x".repeat(40_000) };
    expect(() => states.seal(testClaims(clock.now(), { journal }), ALICE)).toThrow(
      expect.objectContaining({
        code: "state_too_large",
        message: expect.stringMatching(
          /limit is 32768: 40012 bytes of recorded.*handle/,
        ) as unknown,
      }),
    );
    const roomy = createStates(
      { keys: keyRing([testKey(1)]), audience: "server", maxToken: 60_000 },
      clock.now,
    );
    const token = seal(roomy, testClaims(clock.now(), { journal }), ALICE);
    expect(refusal(roomy, token, asked(ALICE))).toBe("opened");
    expect(refusal(states, token, asked(ALICE))).toBe("state_too_large");
  });

  it("is not one that is exactly as long as may be", () => {
    const limited = (maxToken: number): States =>
      createStates({ keys: keyRing([testKey(1)]), audience: "server", maxToken }, clock.now);
    const { length } = seal(states, testClaims(clock.now()), ALICE);
    const token = seal(limited(length), testClaims(clock.now()), ALICE);
    expect(refusal(limited(length), token, asked(ALICE))).toBe("opened");
    expect(() => limited(length - 1).seal(testClaims(clock.now()), ALICE)).toThrow(
      expect.objectContaining({ code: "state_too_large" }),
    );
  });

  it("is any other token, with every character changed in turn", () => {
    const token = seal(states, testClaims(clock.now()), ALICE);
    for (let i = 0; i < token.length; i += 1) {
      const changed = token.slice(0, i) + (token[i] === "A" ? "B" : "A") + token.slice(i + 1);
      expect(refusal(states, changed, asked(ALICE))).toMatch(
        /^state_(malformed|unknown_key|forged)$/,
      );
    }
    expect(refusal(states, token, asked(ALICE))).toBe("opened");
  });

  it("is a token cut, spliced, doubled or spelled otherwise", () => {
    const one = seal(states, testClaims(clock.now()), ALICE);
    const other = seal(states, testClaims(clock.now()), BOB);
    const bytes = Buffer.from(one.slice(3), "base64url");
    const wrong = [
      one + " ",
      " " + one,
      one + "=",
      one + "\n",
      one + "A",
      one + one,
      one.toUpperCase(),
      "P1." + one.slice(3),
      "p1.." + one.slice(3),
      "p1.p1." + one.slice(3),
      "p1." + bytes.toString("base64"),
      "p1." + bytes.toString("hex"),
      encodeURIComponent(one) + "%00",
      "p1." + Buffer.concat([bytes, Buffer.alloc(1)]).toString("base64url"),
      "p1." + Buffer.concat([Buffer.alloc(1), bytes]).toString("base64url"),
    ];
    for (const token of wrong) {
      expect(refusal(states, token, asked(ALICE))).toMatch(
        /^state_(malformed|unknown_key|forged)$/,
      );
    }
    fc.assert(
      fc.property(fc.nat(one.length - 1), fc.nat(other.length), (cut, from) => {
        expect(refusal(states, one.slice(0, cut), asked(ALICE))).not.toBe("opened");
        const spliced = one.slice(0, cut) + other.slice(from);
        if (spliced !== one && spliced !== other) {
          expect(refusal(states, spliced, asked(ALICE))).not.toBe("opened");
        }
      }),
    );
  });

  it("is anything made up, and nothing of it throws", () => {
    fc.assert(
      fc.property(
        fc.anything(),
        fc.string({ unit: "binary" }),
        fc.uint8Array({ maxLength: 300 }),
        (any, text, bytes) => {
          for (const token of [
            any,
            text,
            "p1." + text,
            "p1." + Buffer.from(bytes).toString("base64url"),
          ]) {
            expect(refusal(states, token, asked(ALICE))).toMatch(/^state_(malformed|unknown_key)$/);
          }
        },
      ),
    );
  });
});
