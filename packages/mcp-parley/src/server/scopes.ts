import type { Reply } from "./context.js";
import { INSUFFICIENT_SCOPE } from "./failures.js";
import type { Incoming } from "./incoming.js";
import { errorReply } from "./respond.js";

/** Scopes that something needs; undefined where even an anonymous caller may use it. */
export type NeededScopes = readonly string[] | undefined;

/** Whether the caller has every scope that is needed. */
export function isGranted({ context: { principal } }: Incoming, needed: NeededScopes): boolean {
  if (needed === undefined) return true;
  if (principal === undefined) return false;
  return needed.every((scope) => principal.scopes?.includes(scope) === true);
}

/**
 * The refusal of a caller who lacks a scope; undefined where none is lacking. It names everything
 * that is needed, so that the client has to ask once. Specification: basic/authorization, Runtime
 * Insufficient Scope Errors.
 */
export function refuseUngranted(incoming: Incoming, needed: NeededScopes): Reply | undefined {
  if (needed === undefined || isGranted(incoming, needed)) return undefined;
  const { id, context } = incoming;
  const [message, status] =
    context.principal === undefined
      ? ["This is only for callers who are signed in", 401]
      : [`This needs the scopes ${needed.join(" ")}`, 403];
  const reply = errorReply(id, INSUFFICIENT_SCOPE, message, { scopes: [...needed] }, status);
  const challenge = context.challenge?.(needed);
  return challenge === undefined ? reply : { ...reply, headers: { "www-authenticate": challenge } };
}
