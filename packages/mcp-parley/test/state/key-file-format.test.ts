import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { isParleyError } from "../../src/protocol/errors.js";
import { addKey, disableKey, newKeyFile, promoteKey } from "../../src/state/key-edits.js";
import { formatKeyFile, keyTextsOf, parseKeyFile } from "../../src/state/key-file-format.js";
import { testClock, testKey } from "./fixtures.js";

describe("the text of a key file", () => {
  it("reads back as it was written", () => {
    const clock = testClock();
    let all = addKey(
      addKey(newKeyFile({ longestLife: 1, rollout: 2 }, clock.now), clock.now),
      clock.now,
    );
    all = promoteKey(all, all.entries[1]!.id, { force: true }, clock.now);
    all = disableKey(all, all.entries[2]!.id, {}, clock.now);
    expect(parseKeyFile(formatKeyFile(all))).toEqual(all);
  });

  it("may be a plain list, the primary first", () => {
    expect(keyTextsOf(` ${testKey(1)}\n${testKey(2)},${testKey(3)}\n`)).toEqual(
      [1, 2, 3].map(testKey),
    );
    expect(keyTextsOf("\n")).toEqual([]);
  });

  const good = formatKeyFile(addKey(newKeyFile()));
  const edited = (
    edit: (value: { keys: Record<string, unknown>[] } & Record<string, unknown>) => void,
  ): string => {
    const value = JSON.parse(good) as { keys: Record<string, unknown>[] };
    edit(value);
    return JSON.stringify(value);
  };

  const TEN_YEARS = 10 * 365 * 24 * 3_600_000;
  /** The disabled have no secret that an id could be the fingerprint of. */
  const oddId = (of: (id: string) => unknown): [string, string] => [
    edited((value) => {
      const [, entry] = value.keys;
      Object.assign(entry!, { state: "disabled", id: of(entry!["id"] as string) });
      delete entry!["key"];
    }),
    "key 2 has no id",
  ];

  it("may have any life from none to ten years", () => {
    for (const life of [0, TEN_YEARS]) {
      const text = edited((value) => Object.assign(value, { longestLife: life, rollout: life }));
      expect(parseKeyFile(text)).toMatchObject({ longestLife: life, rollout: life });
    }
  });

  it("may begin with white space, and keys in a list stand anyhow apart", () => {
    expect(keyTextsOf(` \n${good}`)).toEqual(keyTextsOf(good));
    expect(keyTextsOf(`${testKey(1)} ,\n ${testKey(2)}`)).toEqual([testKey(1), testKey(2)]);
  });

  it.each<[string, string, string | undefined]>([
    ["cut off", good.slice(0, -5), "it is not JSON"],
    ["empty", "", "it is not JSON"],
    ["an array", "[]", "it has no `parleyKeys`: 1"],
    ["null", "null", "it has no `parleyKeys`: 1"],
    [
      "of another version",
      edited((value) => (value["parleyKeys"] = 2)),
      "it has no `parleyKeys`: 1",
    ],
    [
      "without a life",
      edited((value) => delete value["longestLife"]),
      "`longestLife` is no number of ms",
    ],
    [
      "with a life that is no number",
      edited((value) => (value["longestLife"] = "600000")),
      "`longestLife` is no number of ms",
    ],
    [
      "with a negative rollout",
      edited((value) => (value["rollout"] = -1)),
      "`rollout` is no number of ms",
    ],
    [
      "with a rollout past all measure",
      edited((value) => (value["rollout"] = 1e15)),
      "`rollout` is no number of ms",
    ],
    [
      "without keys",
      edited((value) => delete (value as { keys?: unknown }).keys),
      "`keys` is no list",
    ],
    [
      "with a key that is no object",
      edited((value) => value.keys.push(null as never)),
      "key 3 is no object",
    ],
    [
      "with a state of no kind",
      edited((value) => (value.keys[0]!["state"] = "active")),
      "key 1 is neither primary, enabled nor disabled",
    ],
    [
      "with two primaries",
      edited((value) => (value.keys[1]!["state"] = "primary")),
      "there has to be exactly one primary",
    ],
    [
      "with no primary",
      edited((value) => (value.keys[0]!["state"] = "enabled")),
      "there has to be exactly one primary",
    ],
    [
      "with a key twice",
      edited((value) => value.keys.push(value.keys[1]!)),
      "an id stands there twice",
    ],
    [
      "with an id that is not the key's",
      edited((value) => (value.keys[0]!["id"] = "0123456789abcdef")),
      "key 1 has an id that is not its fingerprint",
    ],
    [
      "with a life past ten years",
      edited((value) => (value["longestLife"] = TEN_YEARS + 1)),
      "`longestLife` is no number of ms",
    ],
    ["with an id that is longer", ...oddId((id) => `${id}0`)],
    ["with an id with something before it", ...oddId((id) => `0${id}`)],
    ["with an id that is no text", ...oddId((id) => [id])],
    [
      "with a time that is no text",
      edited((value) => (value.keys[0]!["added"] = 0)),
      "key 1 does not say when it was added",
    ],
    ["without an id", edited((value) => delete value.keys[0]!["id"]), "key 1 has no id"],
    [
      "with an id of another shape",
      edited((value) => (value.keys[1]!["id"] = "x")),
      "key 2 has no id",
    ],
    [
      "with a key that is none",
      edited((value) => (value.keys[0]!["key"] = "passphrase")),
      undefined,
    ],
    [
      "with an enabled key that has no secret",
      edited((value) => delete value.keys[1]!["key"]),
      "key 2 has an id that is not its fingerprint",
    ],
    [
      "with a disabled key that has one",
      edited((value) => (value.keys[1]!["state"] = "disabled")),
      "key 2 is disabled and still has its secret",
    ],
    [
      "without the time it was added",
      edited((value) => delete value.keys[0]!["added"]),
      "key 1 does not say when it was added",
    ],
    [
      "with a time that is none",
      edited((value) => (value.keys[0]!["added"] = "yesterday")),
      "key 1 does not say when it was added",
    ],
  ])("is refused %s, and not quoted", (_, text, why) => {
    const secret = (JSON.parse(good) as { keys: { key: string }[] }).keys[0]!.key;
    try {
      parseKeyFile(text);
      expect.unreachable();
    } catch (error) {
      expect(isParleyError(error, "key_invalid")).toBe(true);
      // What a key that is none has against it, its own reader says.
      if (why !== undefined) {
        expect(error).toHaveProperty(
          "message",
          `This is no key file: ${why}. Make one with \`parley keys new FILE\`.`,
        );
      }
      expect(inspect(error, { depth: 9 })).not.toContain(secret);
    }
  });
});
