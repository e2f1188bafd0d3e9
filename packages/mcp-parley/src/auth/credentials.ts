/** A longer token than any provider makes; Node refuses headers of 16 KiB by itself. */
export const MAX_TOKEN_CHARS = 16_384;

/** One token, well formed or not. Specification: RFC 6750, section 2.1. */
const BEARER = /^bearer +([^\s,]+)$/i;

/** The credentials of an `Authorization` header, as far as they can be told without looking in. */
export type Credentials =
  | { readonly kind: "none" | "foreign" | "malformed" | "too_long" }
  | { readonly kind: "token"; readonly token: string };

/**
 * Reads the header. A token elsewhere, in the query or in the body, is not looked for.
 * Specification: basic/authorization, Token Requirements.
 */
export function readCredentials(header: string | null): Credentials {
  if (header === null) return NONE;
  if (!/^bearer(?: |$)/i.test(header)) return FOREIGN;
  if (header.length > MAX_TOKEN_CHARS) return TOO_LONG;
  const token = BEARER.exec(header)?.[1];
  return token === undefined ? MALFORMED : { kind: "token", token };
}

const NONE: Credentials = { kind: "none" };
const FOREIGN: Credentials = { kind: "foreign" };
const MALFORMED: Credentials = { kind: "malformed" };
const TOO_LONG: Credentials = { kind: "too_long" };
