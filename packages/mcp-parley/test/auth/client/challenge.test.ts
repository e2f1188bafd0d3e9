import * as fc from "fast-check";
import { expect, it } from "vitest";
import { readChallenge, union } from "../../../src/auth/client/challenge.js";

const read = readChallenge;

it.each([
  ["Bearer", {}],
  ['Bearer resource_metadata="https://a.example/m"', { metadataUrl: "https://a.example/m" }],
  ['bearer   realm="x",scope="a b  a" ', { scopes: ["a", "b"] }],
  [
    'Basic realm="a, Bearer scope=c", Bearer error="insufficient_scope", scope="files:write"',
    { error: "insufficient_scope", scopes: ["files:write"] },
  ],
  ['Bearer error_description="say \\"no\\"", scope=read', { scopes: ["read"] }],
  ['Bearer scope="a \u00e9 b\'c"', { scopes: ["a", "b'c"] }],
  ['Bearer scope=""', {}],
])("a challenge is read: %s", async (header, expected) => {
  const nothing = { error: undefined, scopes: undefined, metadataUrl: undefined };
  expect(await read(header)).toEqual({ ...nothing, ...expected });
});

it.each([
  undefined,
  "",
  "Basic realm=x",
  'Digest a="Bearer scope=x"',
  'Bearer scope="a',
  ",,,",
  `Bearer scope=x, a="${"y".repeat(8_192)}"`,
])("what is no challenge says nothing: %s", async (header) => {
  const { scopes, metadataUrl } = await read(header);
  expect({ scopes, metadataUrl }).toEqual({ scopes: undefined, metadataUrl: undefined });
});

it("any header at all is read without failing", async () => {
  const piece = fc.constantFrom("Bearer", " ", ",", "=", '"', "\\", "scope", "a", "Basic");
  const header = fc.oneof(
    fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join("")),
    fc.string({ unit: "binary", maxLength: 200 }),
  );
  await fc.assert(
    fc.asyncProperty(header, async (text) => {
      const { scopes = [] } = await read(text);
      expect(scopes.every((scope) => !/[\s"\\]/.test(scope))).toBe(true);
    }),
  );
});

it("scopes of several lists are each there once", () => {
  expect(union(["a", "b"], undefined, ["b", "c"])).toEqual(["a", "b", "c"]);
});

it.each([
  ['DPoP error="invalid_token", scope=a', "invalid_token", ["a"], undefined],
  ["Bearer scope=a, DPoP scope=b, error=use_dpop_nonce", "use_dpop_nonce", ["b"], undefined],
  ["DPoP scope=b, Bearer scope=a, error=invalid_token", undefined, ["b"], undefined],
  [
    'Bearer resource_metadata="https://a.example/", DPoP',
    undefined,
    undefined,
    "https://a.example/",
  ],
  ['Bearer error="insufficient_scope", scope=a', "insufficient_scope", ["a"], undefined],
])("a challenge to a bound token is read: %s", async (header, error, scopes, metadataUrl) => {
  expect(await read(header, "dpop")).toEqual({ error, scopes, metadataUrl });
});

it("a challenge to a bearer token is read wherever one for bound tokens stands", async () => {
  const challenge = { error: undefined, scopes: ["a"], metadataUrl: undefined };
  expect(await read("DPoP scope=b, error=x, Bearer scope=a")).toEqual(challenge);
  expect(await read("DPoP scope=a")).toEqual(challenge); // a server that says no more
});
