import { createHash, hkdfSync } from "node:crypto";
import { inspect } from "node:util";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { isParleyError } from "../../src/protocol/errors.js";
import { polledKeys, type KeyListener, type KeySource } from "../../src/state/key-source.js";
import { newKeyText, parseKeyText } from "../../src/state/key-text.js";
import { RingKey } from "../../src/state/ring-key.js";
import { keyRing, KeyRing, type KeyEvent } from "../../src/state/ring.js";
import { tuple } from "../../src/state/tuple.js";
import { testKey } from "./fixtures.js";

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (isParleyError(error)) return error.code;
    throw error;
  }
  return "nothing thrown";
}

const idOf = (text: string): string => new RingKey(text).id;

describe("a key", () => {
  it("may be given as base64url, base64 or hexadecimal", () => {
    fc.assert(
      fc.property(
        fc.noShrink(fc.constant(null)).map(() => newKeyText()),
        (text) => {
          const bytes = Buffer.from(text, "base64url");
          expect(bytes.length).toBe(32);
          const spellings = [
            text,
            text + "=",
            bytes.toString("base64"),
            bytes.toString("base64").slice(0, 43),
            bytes.toString("hex"),
            bytes.toString("hex").toUpperCase(),
            ` ${text}\n`,
          ];
          for (const spelling of spellings) expect(parseKeyText(spelling).equals(bytes)).toBe(true);
        },
      ),
    );
  });

  const key = testKey(1);
  it.each([
    ["nothing", ""],
    ["a passphrase", "correct horse battery staple"],
    ["a passphrase of just the right length", "correct-horse-battery-staple-is-not-a-key-x"],
    ["one in capitals", "CORRECT-HORSE-BATTERY-STAPLE-IS-NOT-A-KEY-X"],
    ["31 bytes", Buffer.from(key, "base64url").subarray(1).toString("base64url")],
    [
      "33 bytes",
      Buffer.from("00" + Buffer.from(key, "base64url").toString("hex"), "hex").toString(
        "base64url",
      ),
    ],
    ["63 hexadecimal digits", Buffer.from(key, "base64url").toString("hex").slice(1)],
    ["stray bits in the last character", key.slice(0, -1) + "B"],
    ["zeros", Buffer.alloc(32).toString("base64url")],
    ["zeros in hexadecimal", "0".repeat(64)],
    ["a short pattern, repeated", Buffer.alloc(32, "pattern!").toString("hex")],
  ])("is refused when it is %s, saying how to make one and not what was given", (_, text) => {
    expect(codeOf(() => parseKeyText(text))).toBe("key_invalid");
    try {
      parseKeyText(text);
    } catch (error) {
      const shown = inspect(error);
      expect(shown).toContain("parley keys new");
      if (text !== "") expect(shown).not.toContain(text);
    }
  });

  it("takes 15 different bytes for a pattern and 16 for none", () => {
    const bytes = (distinct: number): string =>
      Buffer.from(Array.from({ length: 32 }, (_, i) => 100 + (i % distinct))).toString("hex");
    expect(codeOf(() => parseKeyText(bytes(15)))).toBe("key_invalid");
    expect(codeOf(() => parseKeyText(bytes(16)))).toBe("nothing thrown");
  });

  it("has its fingerprint for an id", () => {
    const bytes = Buffer.from(key, "base64url");
    const digest = createHash("sha256")
      .update(tuple(["parley1", "key id", bytes]))
      .digest("hex");
    expect(idOf(key)).toBe(digest.slice(0, 16));
    expect(new RingKey(key).idBytes.toString("hex")).toBe(idOf(key));
  });

  it("derives a sub-key for each purpose by HKDF-SHA256", () => {
    const info = tuple(["parley1", "custom", "mine"]);
    const expected = Buffer.from(hkdfSync("sha256", Buffer.from(key, "base64url"), "", info, 32));
    const ringKey = new RingKey(key);
    expect(ringKey.derive("mine").export().equals(expected)).toBe(true);
    expect(ringKey.derive("other").export().equals(expected)).toBe(false);
    expect(ringKey.mac("mine", Buffer.from("x"))).not.toEqual(
      ringKey.mac("other", Buffer.from("x")),
    );
    expect(ringKey.sealing("mine")).toBe(ringKey.sealing("mine"));
  });

  it("shows its id and nothing else", () => {
    const bytes = Buffer.from(key, "base64url");
    const ring = keyRing([key, testKey(2)]);
    const shown = [ring.primary, ring].flatMap((value) => [
      inspect(value, { showHidden: true, depth: 9 }),
      inspect({ value }),
      JSON.stringify(value),
      String(value),
      JSON.stringify(Object.entries(value)),
    ]);
    ring.primary.mac("p", Buffer.from("x"));
    ring.primary.sealing("p");
    for (const text of shown) {
      for (const encoding of ["hex", "base64", "base64url", "latin1"] as const) {
        expect(text).not.toContain(bytes.toString(encoding).slice(0, 20));
      }
      expect(text).not.toContain([...bytes.subarray(0, 6)].join());
    }
    expect(inspect(ring)).toBe(
      `KeyRing { primary: ${idOf(key)}, ids: ${idOf(key)} ${idOf(testKey(2))} }`,
    );
    expect(inspect(ring.primary)).toBe(`RingKey ${idOf(key)}`);
    expect(JSON.stringify({ ring })).toBe(
      JSON.stringify({ ring: { primary: idOf(key), ids: [idOf(key), idOf(testKey(2))] } }),
    );
    expect(JSON.stringify(ring.primary)).toBe(JSON.stringify({ id: idOf(key) }));
  });
});

describe("a ring", () => {
  const [a, b, c] = [testKey(1), testKey(2), testKey(3)];

  it("seals with the first key and finds each by its id", () => {
    for (const ring of [keyRing([a, b]), keyRing(`${a},${b}`), keyRing(` ${a}\n ${b}\n`)]) {
      expect(ring.primary.id).toBe(idOf(a));
      expect(ring.ids).toEqual([idOf(a), idOf(b)]);
      expect(ring.find(idOf(b))?.id).toBe(idOf(b));
      expect(ring.find(idOf(c))).toBeUndefined();
      expect(ring.ephemeral).toBe(false);
    }
  });

  it("counts a key given twice once", () => {
    expect(keyRing([a, b, a]).ids).toEqual([idOf(a), idOf(b)]);
  });

  it.each([
    ["an empty text", "keys_missing", ""],
    ["commas only", "keys_missing", " , ,"],
    ["an empty list", "keys_missing", []],
    ["one bad key among good ones", "key_invalid", `${a},short`],
    [
      "more keys than anyone means",
      "key_invalid",
      Array.from({ length: 65 }, (_, i) => testKey(i)),
    ],
  ])("is refused for %s", (_, code, input) => {
    expect(codeOf(() => keyRing(input))).toBe(code);
  });

  it("says what to do without one, and with too many", () => {
    expect(() => keyRing("")).toThrow("No key is given. Make one with `parley keys new`.");
    const many = Array.from({ length: 65 }, (_, i) => testKey(i));
    expect(() => keyRing(many)).toThrow("65 keys are enabled, more than 64.");
  });

  it("may be closed whether its source is watched or not", () => {
    expect(() => keyRing([a]).close()).not.toThrow();
  });

  it("holds up to 64 keys", () => {
    expect(keyRing(Array.from({ length: 64 }, (_, i) => testKey(i))).ids.length).toBe(64);
  });

  describe("without a key of its own", () => {
    afterEach(() => vi.unstubAllEnvs());

    it("takes PARLEY_KEYS", () => {
      vi.stubEnv("PARLEY_KEYS", `${b} ${a}`);
      expect(keyRing().ids).toEqual([idOf(b), idOf(a)]);
      expect(keyRing().ephemeral).toBe(false);
    });

    it("does not take an empty PARLEY_KEYS for none", () => {
      vi.stubEnv("PARLEY_KEYS", "");
      expect(codeOf(() => keyRing())).toBe("keys_missing");
    });

    it("makes one and says so", () => {
      vi.stubEnv("PARLEY_KEYS", undefined);
      const ring = keyRing();
      expect(ring.ephemeral).toBe(true);
      expect(ring.ids.length).toBe(1);
      expect(keyRing().primary.id).not.toBe(ring.primary.id);
    });
  });

  describe("over a source that changes", () => {
    let listener: KeyListener;
    let stopped: boolean;
    let events: KeyEvent[];
    let ring: KeyRing;

    beforeEach(() => {
      stopped = false;
      events = [];
      const source: KeySource = {
        name: "test",
        read: () => [a],
        watch(given) {
          listener = given;
          return () => (stopped = true);
        },
      };
      ring = keyRing(source);
      ring.listen((event) => events.push(event));
    });

    it("follows it, and keys that stay keep what they have derived", () => {
      const before = ring.primary;
      const sealing = before.sealing("state");
      listener.changed([b, a]);
      expect(ring.primary.id).toBe(idOf(b));
      expect(ring.find(idOf(a))).toBe(before);
      expect(ring.find(idOf(a))?.sealing("state")).toBe(sealing);
      expect(events).toEqual([
        { type: "keys_changed", source: "test", primary: idOf(b), ids: [idOf(b), idOf(a)] },
      ]);
      listener.changed([b]);
      expect(ring.find(idOf(a))).toBeUndefined();
    });

    it.each([
      ["none", [] as string[], "keys_missing"],
      ["a bad one", [b, "x"], "key_invalid"],
    ])("keeps the last good keys when it gives %s", (_, texts, code) => {
      listener.changed(texts);
      expect(ring.ids).toEqual([idOf(a)]);
      expect(events).toMatchObject([{ type: "keys_rejected", source: "test", error: { code } }]);
    });

    it("keeps them when it fails", () => {
      const error = new Error("unreachable");
      listener.failed(error);
      expect(ring.ids).toEqual([idOf(a)]);
      expect(events).toEqual([{ type: "keys_rejected", source: "test", error }]);
    });

    it("stops when closed, and tells no one any more", () => {
      ring.close();
      expect(stopped).toBe(true);
      listener.changed([b]);
      expect(events).toEqual([]);
    });

    it("stops telling whoever no longer listens", () => {
      const more: KeyEvent[] = [];
      const stop = ring.listen((event) => more.push(event));
      stop();
      listener.changed([b]);
      expect(more).toEqual([]);
      expect(events.length).toBe(1);
    });
  });
});

describe("polled keys", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const [a, b] = [testKey(1), testKey(2)];

  it("are fetched once before and then at each interval, and only a change is told", async () => {
    let keys = [a];
    let fetches = 0;
    const source = await polledKeys("vault", async () => (fetches++, keys), 1000);
    expect([source.name, source.read(), fetches]).toEqual(["vault", [a], 1]);
    const ring = keyRing(source);
    const events: KeyEvent[] = [];
    ring.listen((event) => events.push(event));
    await vi.advanceTimersByTimeAsync(2000);
    expect([fetches, events.length]).toEqual([3, 0]);
    keys = [b, a];
    await vi.advanceTimersByTimeAsync(1000);
    expect(ring.primary.id).toBe(idOf(b));
    ring.close();
    await vi.advanceTimersByTimeAsync(5000);
    expect([fetches, events.length]).toEqual([4, 1]);
  });

  it("tell a failure and go on", async () => {
    let fail = false;
    const source = await polledKeys(
      "vault",
      () => {
        if (fail) throw new Error("sealed");
        return [a];
      },
      1000,
    );
    const ring = keyRing(source);
    const events: KeyEvent[] = [];
    ring.listen((event) => events.push(event));
    fail = true;
    await vi.advanceTimersByTimeAsync(1000);
    expect(events).toMatchObject([{ type: "keys_rejected", source: "vault" }]);
    expect(ring.primary.id).toBe(idOf(a));
    fail = false;
    await vi.advanceTimersByTimeAsync(1000);
    expect(events.length).toBe(1);
    ring.close();
  });

  it("never have two fetches under way", async () => {
    let running = 0;
    let most = 0;
    let release = (): void => undefined;
    let first = true;
    const source = await polledKeys(
      "slow",
      async () => {
        running += 1;
        most = Math.max(most, running);
        if (!first) await new Promise<void>((resolve) => (release = resolve));
        first = false;
        running -= 1;
        return [a];
      },
      1000,
    );
    const ring = keyRing(source);
    await vi.advanceTimersByTimeAsync(3000);
    expect(most).toBe(1);
    release();
    await vi.advanceTimersByTimeAsync(1000);
    expect(running).toBe(1);
    release();
    ring.close();
  });

  it("do not keep the process alive", async () => {
    vi.useRealTimers();
    const source = await polledKeys("vault", () => [a], 1000);
    const before = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const stop = source.watch!({ changed: () => undefined, failed: () => undefined });
    const after = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    stop();
    expect(after).toBe(before);
  });
});
