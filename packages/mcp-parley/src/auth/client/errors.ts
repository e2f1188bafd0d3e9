import { ParleyError } from "../../protocol/errors.js";
import { quoted } from "../../protocol/json.js";

/** Why a client did not get authorized. Stable, as error codes are. */
export type AuthorizationFault =
  // what the server says of its authorization
  | "metadata_missing"
  | "metadata_invalid"
  | "resource_mismatch"
  | "issuer_mismatch"
  | "pkce_unsupported"
  | "dpop_unsupported"
  | "unsafe_url"
  | "unreachable"
  // who this client is there
  | "client_unknown"
  | "registration_refused"
  // what the person, or the authorization server, answered
  | "response_invalid"
  | "denied"
  | "token_refused"
  | "token_invalid";

/**
 * A client did not get authorized: `code` is `authorization_failed`, and `fault` says why. Neither
 * message nor any other member holds a token, a code or a secret.
 */
export class AuthorizationError extends ParleyError<"authorization_failed"> {
  readonly fault: AuthorizationFault;
  /** The error code of OAuth (RFC 6749), where the authorization server gave one, such as `access_denied`. */
  readonly oauthError: string | undefined;

  constructor(fault: AuthorizationFault, message: string, oauthError?: string) {
    super("authorization_failed", message);
    this.fault = fault;
    this.oauthError = oauthError;
  }
}

/** What an error response of OAuth says. */
export interface OAuthErrorBody {
  readonly error: string;
  readonly description: string | undefined;
}

/** Reads what may be the members of an error response; what is no error code is none. */
export function oauthErrorIn(error: unknown, description: unknown): OAuthErrorBody | undefined {
  if (typeof error !== "string" || !/^[\w.:/-]{1,80}$/.test(error)) return undefined;
  return { error, description: typeof description === "string" ? description : undefined };
}

/**
 * An OAuth error as part of a sentence; the description is the server's, and shown as a quotation,
 * without anything in it that could be a token: some servers repeat what they were sent.
 */
export function told({ error, description }: OAuthErrorBody): string {
  return description === undefined
    ? error
    : `${error}, ${quoted(description.replace(SECRET_LIKE, "…"), 200)}`;
}

/** Longer than any word, and in the letters of tokens, codes and assertions. */
const SECRET_LIKE = /[\w.~+-]{32,}/g;
