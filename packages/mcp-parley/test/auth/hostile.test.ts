import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { metadataAnswer } from "../../src/auth/metadata.js";
import { type Guard, guard, localIssuer } from "./guarded.js";

/** Whatever is sent for a token: a refusal, in time, and nothing thrown. */
let guarded: Guard;
let token: string;
beforeAll(async () => {
  const local = await localIssuer();
  guarded = guard({ issuer: local });
  token = await local.sign();
});

async function statusOf(authorization: string): Promise<unknown> {
  const headers = new Map([["authorization", authorization]]);
  const get = (name: string): string | null => headers.get(name) ?? null;
  const answer = await guarded.authenticate({ method: "POST", url: "/", headers: { get } });
  return answer !== undefined && "status" in answer ? answer.status : answer;
}

describe("A hostile Authorization header", () => {
  it("is refused, whatever it says", async () => {
    const scheme = fc.constantFrom("Bearer ", "bearer  ", "Bearer", "DPoP ", "");
    await fc.assert(
      fc.asyncProperty(
        scheme,
        fc.string({ unit: "binary", maxLength: 200 }),
        async (name, rest) => {
          expect([400, 401]).toContain(await statusOf(name + rest));
        },
      ),
    );
  });

  it("is refused where a token in it is made of any three parts", async () => {
    const part = fc.oneof(
      fc.json({ maxDepth: 3 }).map((json) => Buffer.from(json).toString("base64url")),
      fc.constantFrom(...token.split(".")),
      fc.base64String({ maxLength: 40 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 6 }), async (parts) => {
        fc.pre(!["", token].includes(parts.join(".")));
        expect(await statusOf(`Bearer ${parts.join(".")}`)).toBe(401);
      }),
    );
  });

  it("is refused where a good token differs in one character of what was signed", async () => {
    const signed = token.lastIndexOf(".");
    const at = fc.nat({ max: signed });
    const character = fc.constantFrom("A", "B", "Z", "a", "b", "z", "0", "9", "-", "_", ".");
    await fc.assert(
      fc.asyncProperty(at, character, async (index, other) => {
        fc.pre(token[index] !== other);
        const changed = token.slice(0, index) + other + token.slice(index + 1);
        expect(await statusOf(`Bearer ${changed}`)).toBe(401);
      }),
    );
    expect(await statusOf(`Bearer ${token}`)).toMatchObject({ subject: "ada" });
  });

  it.each([
    ["spaces", `Bearer ${" ".repeat(100_000)}x y`],
    ["dots", `Bearer ${".".repeat(16_000)}`],
    ["padding", `Bearer ${"=".repeat(16_000)}`],
    ["a deep header", `Bearer ${Buffer.from("[".repeat(12_000)).toString("base64url")}.e30.`],
  ])("of many %s is refused quickly", async (_, authorization) => {
    const began = performance.now();
    expect([400, 401]).toContain(await statusOf(authorization));
    expect(performance.now() - began).toBeLessThan(1000);
  });
});

it("Metadata are for their paths alone, whatever the path says", () => {
  const { metadata } = guarded.authenticate;
  fc.assert(
    fc.property(fc.string(), (path) => {
      fc.pre(!metadata.paths.includes(path));
      expect(metadataAnswer(metadata, "GET", path)).toBeUndefined();
    }),
  );
});
