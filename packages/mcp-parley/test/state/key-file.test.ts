import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { isParleyError } from "../../src/protocol/errors.js";
import {
  addKey,
  disableKey,
  findEntry,
  newKeyFile,
  promoteKey,
  safeToDisableFrom,
} from "../../src/state/key-edits.js";
import { formatKeyFile, keyTextsOf, type KeyFile } from "../../src/state/key-file-format.js";
import { createKeyFile, editKeyFile, keyFile, readKeyFile } from "../../src/state/key-file.js";
import { RingKey } from "../../src/state/ring-key.js";
import { keyRing, type KeyEvent } from "../../src/state/ring.js";
import { testClock, testKey } from "./fixtures.js";

const POSIX = process.platform !== "win32";
const MINUTE = 60_000;

function thrown(run: () => unknown): { code: string; message: string } {
  try {
    run();
  } catch (error) {
    if (isParleyError(error)) return { code: error.code, message: error.message };
    throw error;
  }
  return { code: "nothing thrown", message: "" };
}

let folder: string;
let file: string;
let clock: ReturnType<typeof testClock>;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "parley-keys-")));
  file = path.join(folder, "keys.json");
  clock = testClock();
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const ids = (of: KeyFile): string[] => of.entries.map(({ id, state }) => `${id} ${state}`);

describe("the steps of a rotation", () => {
  let one: KeyFile;
  let old: string;

  beforeEach(() => {
    one = newKeyFile({}, clock.now);
    old = one.entries[0]!.id;
    clock.pass(1_000_000);
  });

  it("in order: add, wait, promote, wait, disable", () => {
    const added = addKey(one, clock.now);
    const fresh = added.entries[1]!.id;
    expect(ids(added)).toEqual([`${old} primary`, `${fresh} enabled`]);

    clock.pass(MINUTE);
    const promoted = promoteKey(added, fresh, {}, clock.now);
    expect(ids(promoted)).toEqual([`${old} enabled`, `${fresh} primary`]);
    expect(promoted.entries[0]!.demoted).toBe(clock.now());
    expect(keyTextsOf(formatKeyFile(promoted))).toEqual([
      added.entries[1]!.key!.reveal(),
      added.entries[0]!.key!.reveal(),
    ]);

    clock.pass(11 * MINUTE);
    const disabled = disableKey(promoted, old, {}, clock.now);
    expect(ids(disabled)).toEqual([`${old} disabled`, `${fresh} primary`]);
    expect(disabled.entries[0]).toMatchObject({ key: undefined, disabled: clock.now() });
    expect(formatKeyFile(disabled)).not.toContain(one.entries[0]!.key!.reveal());
  });

  it("refuse to promote what an instance may not have read yet, and say until when", () => {
    const added = addKey(one, clock.now);
    const fresh = added.entries[1]!.id;
    clock.pass(MINUTE - 1);
    const { code, message } = thrown(() => promoteKey(added, fresh, {}, clock.now));
    expect(code).toBe("key_unsafe");
    expect(message).toContain(fresh);
    // Whose states would break, and until when.
    expect(message).toContain("An instance that has not read it yet would refuse every state");
    expect(message).toContain(`after ${new Date(clock.now() + 1).toISOString()}`);
    expect(ids(promoteKey(added, fresh, { force: true }, clock.now))[1]).toBe(`${fresh} primary`);
    clock.pass(1);
    expect(ids(promoteKey(added, fresh, {}, clock.now))[1]).toBe(`${fresh} primary`);
  });

  it("refuse to disable what sealed states that may come back, and say until when", () => {
    const added = addKey(one, clock.now);
    const promoted = promoteKey(added, added.entries[1]!.id, { force: true }, clock.now);
    clock.pass(11 * MINUTE - 1);
    const { code, message } = thrown(() => disableKey(promoted, old, {}, clock.now));
    expect(code).toBe("key_unsafe");
    expect(message).toContain(`Flows whose state was sealed under key ${old}`);
    expect(message).toContain(`until ${new Date(clock.now() + 1).toISOString()}`);
    // What to do next.
    expect(message).toContain("Disable it after that, or say that it has leaked");
    expect(ids(disableKey(promoted, old, { leaked: true }, clock.now))[0]).toBe(`${old} disabled`);
    clock.pass(1);
    expect(ids(disableKey(promoted, old, {}, clock.now))[0]).toBe(`${old} disabled`);
  });

  it("refuse to disable the primary, leaked or not", () => {
    for (const leaked of [false, true]) {
      expect(thrown(() => disableKey(one, old, { leaked }, clock.now))).toMatchObject({
        code: "key_unsafe",
        message: expect.stringMatching(
          new RegExp(
            `all flows.* until ${new Date(clock.now() + 11 * MINUTE).toISOString()}.*Promote another key first`,
          ),
        ) as unknown,
      });
    }
    expect(safeToDisableFrom(one, one.entries[0]!)).toBeUndefined();
  });

  it("let a key go at once that never sealed anything", () => {
    const added = addKey(one, clock.now);
    const fresh = added.entries[1]!;
    expect(ids(disableKey(added, fresh.id, {}, clock.now))[1]).toBe(`${fresh.id} disabled`);
    expect(safeToDisableFrom(added, fresh)).toBe(clock.now());
  });

  it("count a key that is promoted again as one that seals", () => {
    const added = addKey(one, clock.now);
    const fresh = added.entries[1]!.id;
    const there = promoteKey(added, fresh, { force: true }, clock.now);
    clock.pass(1000);
    const back = promoteKey(there, old, {}, clock.now);
    expect(ids(back)).toEqual([`${old} primary`, `${fresh} enabled`]);
    expect(back.entries[0]!.demoted).toBeUndefined();
    expect(thrown(() => disableKey(back, fresh, {}, clock.now)).code).toBe("key_unsafe");
  });

  it("do nothing twice", () => {
    expect(promoteKey(one, old, {}, clock.now)).toBe(one);
    const added = addKey(one, clock.now);
    const gone = disableKey(added, added.entries[1]!.id, {}, clock.now);
    expect(disableKey(gone, added.entries[1]!.id, {}, clock.now)).toBe(gone);
  });

  it("cannot bring a disabled key back", () => {
    const added = addKey(one, clock.now);
    const gone = disableKey(added, added.entries[1]!.id, {}, clock.now);
    const { code } = thrown(() =>
      promoteKey(gone, added.entries[1]!.id, { force: true }, clock.now),
    );
    expect(code).toBe("usage");
  });

  it("go by the times of the file", () => {
    const slow = newKeyFile({ longestLife: 1000, rollout: 10 }, clock.now);
    const added = addKey(slow, clock.now);
    const fresh = added.entries[1]!.id;
    clock.pass(9);
    expect(thrown(() => promoteKey(added, fresh, {}, clock.now)).code).toBe("key_unsafe");
    clock.pass(1);
    const promoted = promoteKey(added, fresh, {}, clock.now);
    expect(safeToDisableFrom(promoted, promoted.entries[0]!)).toBe(clock.now() + 1010);
  });

  it("find a key by the beginning of its id where only one has it", () => {
    const made = addKey(one, clock.now);
    const entries = made.entries.map((entry, at) => ({ ...entry, id: `ab${"cd"[at]}0` }));
    const both = { ...made, entries };
    const why = (id: string): unknown => thrown(() => findEntry(both, id));
    expect(findEntry(both, "abc")).toBe(entries[0]);
    expect(findEntry(both, "abd0")).toBe(entries[1]);
    expect(why("ab")).toMatchObject({
      code: "usage",
      message: "More than one key has an id that begins with ab.",
    });
    expect(why("")).toMatchObject({
      code: "usage",
      message: "No key has the id . `parley keys list` shows them.",
    });
    expect(why("b")).toMatchObject({
      code: "usage",
      message: "No key has the id b. `parley keys list` shows them.",
    });
  });

  it("refuse to promote a key whose secret is gone, and say what to do", () => {
    const added = addKey(one, clock.now);
    const fresh = added.entries[1]!.id;
    const disabled = disableKey(added, fresh, { leaked: true }, clock.now);
    expect(thrown(() => promoteKey(disabled, fresh, { force: true }, clock.now))).toMatchObject({
      code: "usage",
      message: `Key ${fresh} is disabled and its secret gone. Add a new one.`,
    });
  });
});

describe("a key file", () => {
  // Only the system's administrator can give a file away.
  it.runIf(process.getuid?.() === 0)("stays its owner's, whoever edits it", () => {
    createKeyFile(file, newKeyFile());
    for (const [user, group] of [
      [4321, 4322],
      [0, 4322],
      [4321, 0],
    ] as const) {
      chownSync(file, user, group);
      editKeyFile(file, (before) => addKey(before));
      expect(statSync(file)).toMatchObject({ uid: user, gid: group });
    }
  });

  it.runIf(existsSync("/proc/self/fd"))(
    "leaves nothing open, whether it can be used or not",
    async () => {
      createKeyFile(file, newKeyFile());
      const open = (): number => readdirSync("/proc/self/fd").length;
      const before = open();
      for (let time = 0; time < 5; time += 1) {
        editKeyFile(file, (it) => it);
        thrown(() => createKeyFile(file, newKeyFile()));
        keyRing(keyFile(file)).close();
      }
      writeFileSync(file, "x".repeat(2 * 1024 * 1024));
      expect(thrown(() => readKeyFile(file)).message).toMatch(
        /^A key file of 2097152 bytes is too large: \d+\.$/,
      );
      expect(open()).toBe(before);
    },
  );

  it.runIf(POSIX)("can be read by its owner alone", () => {
    createKeyFile(file, newKeyFile());
    expect(statSync(file).mode & 0o777).toBe(0o600);
    chmodSync(file, 0o644);
    editKeyFile(file, addKey);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("is changed in one step", () => {
    createKeyFile(file, newKeyFile({}, clock.now));
    const before = statSync(file).ino;
    const after = editKeyFile(file, (read) => addKey(read, clock.now));
    expect(readKeyFile(file)).toEqual(after);
    expect(after.entries.length).toBe(2);
    if (POSIX) expect(statSync(file).ino).not.toBe(before);
    expect(readdirSync(folder)).toEqual(["keys.json"]);
  });

  it("is not overwritten by a new one", () => {
    createKeyFile(file, newKeyFile());
    const before = readFileSync(file, "utf8");
    expect(thrown(() => createKeyFile(file, newKeyFile())).code).toBe("usage");
    expect(readFileSync(file, "utf8")).toBe(before);
    expect(readdirSync(folder)).toEqual(["keys.json"]);
  });

  it("stays as it was when an edit is refused", () => {
    createKeyFile(file, newKeyFile());
    const before = readFileSync(file, "utf8");
    const { id } = readKeyFile(file).entries[0]!;
    expect(thrown(() => editKeyFile(file, (read) => disableKey(read, id))).code).toBe("key_unsafe");
    expect(readFileSync(file, "utf8")).toBe(before);
    expect(readdirSync(folder)).toEqual(["keys.json"]);
  });

  it("is edited by one at a time", () => {
    createKeyFile(file, newKeyFile());
    editKeyFile(file, (read) => {
      const inner = thrown(() => editKeyFile(file, addKey));
      expect(inner.code).toBe("usage");
      expect(inner.message).toContain(`${file}.new`);
      return addKey(read);
    });
    expect(readKeyFile(file).entries.length).toBe(2);
  });

  it.runIf(POSIX)("is edited where it lies, when reached through a link", () => {
    createKeyFile(file, newKeyFile());
    const link = path.join(folder, "link.json");
    symlinkSync(file, link);
    editKeyFile(link, addKey);
    expect(realpathSync(link)).toBe(file);
    expect(readKeyFile(file).entries.length).toBe(2);
  });

  it("that is missing fails with the system's own error when edited", () => {
    expect(() => editKeyFile(file, addKey)).toThrow(expect.objectContaining({ code: "ENOENT" }));
    expect(() => createKeyFile(path.join(folder, "no", "keys.json"), newKeyFile())).toThrow(
      expect.objectContaining({ code: "ENOENT" }),
    );
  });
});

describe("a ring over a key file", () => {
  let events: KeyEvent[];

  beforeEach(() => {
    events = [];
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  });
  afterEach(() => void vi.useRealTimers());

  /** Polls, and waits in real time for the reads that takes, until something has come of it. */
  async function poll(until: () => boolean): Promise<void> {
    await vi.waitFor(() => {
      vi.advanceTimersByTime(5000);
      if (!until()) throw new Error("not yet");
    }, 15_000);
  }

  function ringOver(): ReturnType<typeof keyRing> {
    const ring = keyRing(keyFile(file));
    ring.listen((event) => events.push(event));
    return ring;
  }

  it("follows the file through a rotation", async () => {
    createKeyFile(file, newKeyFile({}, clock.now));
    const ring = ringOver();
    const old = ring.primary.id;
    const { entries } = editKeyFile(file, (read) => addKey(read, clock.now));
    const fresh = entries[1]!.id;
    await poll(() => ring.ids.length === 2);
    expect(ring.ids).toEqual([old, fresh]);
    editKeyFile(file, (read) => promoteKey(read, fresh, { force: true }, clock.now));
    await poll(() => ring.primary.id === fresh);
    editKeyFile(file, (read) => disableKey(read, old, { leaked: true }, clock.now));
    await poll(() => ring.ids.length === 1);
    expect(ring.ids).toEqual([fresh]);
    expect(events.map(({ type }) => type)).toEqual(Array(3).fill("keys_changed"));
    ring.close();
  });

  it("reads a plain list as well", () => {
    writeFileSync(file, `${testKey(1)}\n${testKey(2)}\n`);
    const ring = ringOver();
    expect(ring.ids).toEqual([1, 2].map((seed) => new RingKey(testKey(seed)).id));
    ring.close();
  });

  it("keeps the last good keys over a bad file, says so once, and goes on with a good one", async () => {
    createKeyFile(file, newKeyFile());
    const ring = ringOver();
    const { id } = ring.primary;
    const good = readFileSync(file, "utf8");

    writeFileSync(file, good.slice(0, 100));
    await poll(() => events.length === 1);
    expect(events[0]).toMatchObject({
      type: "keys_rejected",
      source: file,
      error: { code: "key_invalid" },
    });
    unlinkSync(file);
    await poll(() => events.length === 2);
    expect(events[1]).toMatchObject({ type: "keys_rejected", error: { code: "ENOENT" } });
    vi.advanceTimersByTime(50_000);
    expect(ring.primary.id).toBe(id);

    writeFileSync(file + ".tmp", testKey(5));
    renameSync(file + ".tmp", file);
    await poll(() => ring.primary.id !== id);
    expect(events.filter(({ type }) => type === "keys_rejected").length).toBe(2);
    ring.close();
  });

  it.each(["", " \n", "{}", "passphrase"])("keeps them over a file with %j in it", async (text) => {
    writeFileSync(file, testKey(1));
    const ring = ringOver();
    writeFileSync(file, text);
    await poll(() => events.length === 1);
    expect(events[0]!.type).toBe("keys_rejected");
    expect(ring.primary.id).toBe(new RingKey(testKey(1)).id);
    ring.close();
  });

  it("does not read a file that is far too large", async () => {
    writeFileSync(file, testKey(1));
    const ring = ringOver();
    writeFileSync(file, `${testKey(1)}\n`.repeat(6000));
    await poll(() => events.length === 1);
    expect(events[0]).toMatchObject({ type: "keys_rejected", error: { code: "key_invalid" } });
    expect(thrown(() => keyFile(file)).code).toBe("key_invalid");
    expect(thrown(() => readKeyFile(file)).code).toBe("key_invalid");
    ring.close();
  });

  it("does not start without one, and says how to make it", () => {
    const { code, message } = thrown(() => keyFile(file));
    expect(code).toBe("keys_missing");
    expect(message).toContain(`parley keys new ${file}`);
    writeFileSync(file, "passphrase");
    expect(thrown(() => keyRing(keyFile(file))).code).toBe("key_invalid");
    writeFileSync(file, "");
    expect(thrown(() => keyRing(keyFile(file))).code).toBe("keys_missing");
    expect(existsSync(file)).toBe(true);
  });

  it("never shows a key in what it tells", async () => {
    createKeyFile(file, newKeyFile());
    const ring = ringOver();
    const { key } = editKeyFile(file, addKey).entries[1]!;
    await poll(() => events.length === 1);
    writeFileSync(file, readFileSync(file, "utf8").replace('"enabled"', "enabled"));
    await poll(() => events.length === 2);
    const shown = inspect(events, { depth: 9 }) + JSON.stringify(events);
    expect(shown).not.toContain(key!.reveal().slice(0, 12));
    ring.close();
  });
});
