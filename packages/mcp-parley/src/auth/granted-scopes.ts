import { ParleyError } from "../protocol/errors.js";
import { own } from "../protocol/json.js";
import { isScope } from "../protocol/scope.js";

/** A copy of scopes an author named. Throws `usage` for what no token could have. */
export function checkScopes(setting: string, scopes: readonly string[]): readonly string[] {
  for (const scope of scopes) {
    if (!isScope(scope)) {
      throw new ParleyError("usage", `${setting}: ${JSON.stringify(scope)} is no scope`);
    }
    if (scope === "offline_access") {
      const why = "offline_access is between a client and its authorization server: leave it out";
      throw new ParleyError("usage", `${setting}: ${why}`);
    }
  }
  return [...scopes];
}

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
