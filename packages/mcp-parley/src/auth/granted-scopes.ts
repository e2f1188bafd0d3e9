import { own } from "../protocol/json.js";

/** Broader scopes, with the narrower ones each of them implies. */
export type Implied = Readonly<Record<string, readonly string[]>>;

/** What a token's claims grant: `scope`, or `scp` as some providers call it, and what they imply. */
export function grantedScopes(
  claims: Readonly<Record<string, unknown>>,
  implied: Implied,
): readonly string[] {
  const granted = new Set(textsOf(claims["scope"] ?? claims["scp"]));
  // A set that grows while it is walked is walked to its end: implications may be chained.
  for (const scope of granted) {
    for (const narrower of (own(implied, scope) ?? []) as readonly string[]) granted.add(narrower);
  }
  return [...granted];
}

function textsOf(claim: unknown): readonly string[] {
  if (typeof claim === "string") return claim.split(" ").filter((scope) => scope !== "");
  return Array.isArray(claim) ? claim.filter((scope) => typeof scope === "string") : [];
}
