import { ParleyError } from "./errors.js";
import { isScope } from "./scope.js";

/**
 * A copy of scopes that an author named. Throws `usage` for one that no token could have, and for
 * one that no challenge may ask for. Specification: basic/authorization, Refresh Tokens.
 */
export function checkScopes(setting: string, scopes: readonly string[]): readonly string[] {
  for (const scope of scopes) {
    if (!isScope(scope)) {
      const why = "is no scope: no spaces, no quotes";
      throw new ParleyError("usage", `${setting}: ${JSON.stringify(scope)} ${why}`);
    }
    if (scope === "offline_access") {
      const why = "offline_access is between a client and its authorization server: leave it out";
      throw new ParleyError("usage", `${setting}: ${why}`);
    }
  }
  return [...scopes];
}
