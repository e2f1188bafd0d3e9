import { isObject, isTexts } from "../protocol/json.js";

/**
 * Who is calling, as the server verified it: two users of one client are two principals, and so
 * are two clients of one user. Specification: basic/patterns/mrtr, server requirement 5.
 */
export interface Principal {
  /** Who vouches for the subject, such as an OAuth issuer. */
  readonly issuer: string;
  /** Who it is, unique under the issuer. */
  readonly subject: string;
  /** Through which client, where that is known. */
  readonly client?: string;
  /**
   * What the caller was granted, broader scopes with those they imply; left out, nothing. Not a part
   * of who it is: a flow goes on when scopes change, as far as the new ones reach.
   */
  readonly scopes?: readonly string[];
}

/**
 * Whether something is a principal: texts, and a subject that is not empty. Where a claim was
 * missing, all who lack it would otherwise be one caller.
 */
export function isPrincipal(value: unknown): value is Principal {
  if (!isObject(value)) return false;
  const { issuer, subject, client, scopes } = value as Partial<Record<keyof Principal, unknown>>;
  return (
    typeof issuer === "string" &&
    typeof subject === "string" &&
    subject !== "" &&
    (client === undefined || typeof client === "string") &&
    (scopes === undefined || isTexts(scopes))
  );
}

/** What the author of a server is told where it is not. */
export const NO_PRINCIPAL =
  "A principal has an issuer and a subject, which is not empty, and perhaps a client: all texts; its scopes are a list of texts";
