import { describe, expect, it } from "vitest";
import { decodePayload, encodePayload } from "../../src/state/payload.js";
import { testClaims } from "./fixtures.js";

const payload = {
  audience: "server",
  principal: "tag",
  claims: testClaims(5, { epoch: "e", asked: [{ key: "k", digest: "d" }] }),
};
const text = encodePayload(payload);
const without = (name: string): string => {
  const copy = JSON.parse(text) as Record<string, unknown>;
  return JSON.stringify({ ...copy, [name]: undefined });
};
const changed = (name: string, value: unknown): string =>
  JSON.stringify({ ...(JSON.parse(text) as object), [name]: value });

describe("a payload", () => {
  it("is a JSON object that reads back as it was", () => {
    expect(JSON.parse(text)).toEqual({
      v: 1,
      aud: "server",
      sub: "tag",
      req: payload.claims.request,
      iat: 5,
      exp: 600_005,
      end: 3_600_005,
      flow: payload.claims.flow,
      use: payload.claims.use,
      round: 1,
      epoch: "e",
      asked: [["k", "d"]],
      journal: payload.claims.journal,
    });
    expect(decodePayload(text)).toEqual(payload);
    expect(decodePayload(text + "   ")).toEqual(payload);
    const bare = { ...payload, claims: testClaims(0, { asked: [], epoch: null, journal: null }) };
    expect(decodePayload(encodePayload(bare))).toEqual(bare);
  });

  it("of another version is told apart from one that is broken", () => {
    expect(decodePayload(changed("v", 2))).toBe("state_version");
    expect(decodePayload(changed("v", "1"))).toBe("state_version");
    expect(decodePayload(without("v"))).toBe("state_version");
    expect(decodePayload('{"v":2}')).toBe("state_version");
  });

  it.each(["", " ", "{", "null", "[]", '"text"', "1", text.slice(1), text + "x"])(
    "is not %j",
    (broken) => {
      expect(decodePayload(broken)).toBe("state_malformed");
    },
  );

  const names = ["aud", "sub", "req", "iat", "exp", "end", "flow", "use", "round", "epoch"];
  it.each([...names, "asked", "journal"])("needs %s", (name) => {
    expect(decodePayload(without(name))).toBe("state_malformed");
  });

  it.each(names)("needs %s to be what it is", (name) => {
    for (const value of [[], {}, true]) {
      expect(decodePayload(changed(name, value))).toBe("state_malformed");
    }
    const wrong = ["iat", "exp", "end", "round"].includes(name) ? ["1", -1, 1.5, 2 ** 53] : [1];
    for (const value of wrong) expect(decodePayload(changed(name, value))).toBe("state_malformed");
  });

  it.each([
    [{}],
    ["k"],
    [["k"]],
    [[["k"]]],
    [[["k", 1]]],
    [[[1, "d"]]],
    [[{ key: "k", digest: "d" }]],
  ])("needs what was asked as pairs of texts, not %j", (asked) => {
    expect(decodePayload(changed("asked", asked))).toBe("state_malformed");
  });
});
