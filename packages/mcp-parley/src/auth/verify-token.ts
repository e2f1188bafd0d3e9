import { decodeJwt, errors, jwtVerify } from "jose";
import type { JWTPayload, JWTVerifyGetKey, JWTVerifyResult } from "jose";
import { type Implied, grantedScopes } from "./granted-scopes.js";
import type { Principal } from "../state/principal.js";

/**
 * Why a token was refused, as a stable word: for the server's operator. A client is told only
 * whether it has expired.
 */
export type TokenFault =
  /** It is no JWT, is encrypted, or its claims are not what they must be. */
  | "malformed"
  /** It is longer than 16,384 characters. */
  | "too_long"
  /** It is signed by an algorithm that is not allowed. */
  | "algorithm"
  /** It says that it is another kind of token. */
  | "type"
  /** Nobody trusted has issued it. */
  | "issuer"
  /** Its issuer has no such key. */
  | "key"
  /** Its signature is not its issuer's. */
  | "signature"
  | "expired"
  | "not_yet_valid"
  /** It was issued for another server. */
  | "audience"
  /** It is bound to a key of its client's, which can't be checked here. */
  | "bound";

/** What tokens are held against. */
export interface TokenRules {
  /** Each issuer's own keys: a token is checked by those of the issuer it names, and by no other's. */
  readonly keys: ReadonlyMap<string, JWTVerifyGetKey>;
  readonly audiences: readonly string[];
  readonly algorithms: readonly string[];
  readonly clockToleranceMs: number;
  /** The claim that names the client; undefined: `client_id`, or `azp`. */
  readonly clientClaim: string | undefined;
  readonly implied: Implied;
  readonly now: () => number;
}

/**
 * Verifies an access token. Rejects only where its issuer's keys can't be had. Specification:
 * basic/authorization, Token Handling; RFC 9068 section 4; RFC 8725.
 */
export async function verifyToken(
  token: string,
  rules: TokenRules,
): Promise<Principal | TokenFault> {
  let verified: JWTVerifyResult;
  let issuer: string;
  try {
    // What it says of its issuer only chooses the keys it is then held against.
    issuer = decodeJwt(token).iss ?? "";
    const keys = rules.keys.get(issuer);
    if (keys === undefined) return "issuer";
    verified = await jwtVerify(token, keys, {
      issuer,
      audience: [...rules.audiences],
      algorithms: [...rules.algorithms],
      clockTolerance: rules.clockToleranceMs / 1000,
      currentDate: new Date(rules.now()),
      requiredClaims: ["exp", "sub"],
    });
  } catch (error) {
    if (error instanceof errors.JOSEError) return faultOf(error);
    throw error;
  }
  const { payload, protectedHeader } = verified;
  if (!isAccessToken(protectedHeader.typ)) return "type";
  // To take it as a plain bearer token would let whoever stole it use it.
  if (payload["cnf"] !== undefined) return "bound";
  return principalOf(issuer, payload, rules) ?? "malformed";
}

function principalOf(
  issuer: string,
  payload: JWTPayload,
  { clientClaim, implied }: TokenRules,
): Principal | undefined {
  const { sub: subject } = payload;
  if (typeof subject !== "string" || subject === "") return undefined;
  const client =
    clientClaim === undefined ? (payload["client_id"] ?? payload["azp"]) : payload[clientClaim];
  const scopes = grantedScopes(payload, implied);
  if (client === undefined) return { issuer, subject, scopes };
  return typeof client === "string" ? { issuer, subject, client, scopes } : undefined;
}

/**
 * Access tokens are of type `at+jwt`; many providers still say `JWT`, or nothing. What says that it
 * is something else, such as a logout token, is none. Specification: RFC 9068, section 2.1.
 */
function isAccessToken(typ: unknown): boolean {
  if (typ === undefined) return true;
  return typeof typ === "string" && /^(?:application\/)?(?:at\+)?jwt$/i.test(typ);
}

function faultOf(error: errors.JOSEError): TokenFault {
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === "aud") return "audience";
    return error.claim === "nbf" ? "not_yet_valid" : "malformed";
  }
  return FAULTS.get(error.code) ?? "malformed";
}

const FAULTS: ReadonlyMap<string, TokenFault> = new Map([
  [errors.JWTExpired.code, "expired"],
  [errors.JOSEAlgNotAllowed.code, "algorithm"],
  [errors.JOSENotSupported.code, "algorithm"],
  [errors.JWKSNoMatchingKey.code, "key"],
  [errors.JWKSMultipleMatchingKeys.code, "key"],
  [errors.JWSSignatureVerificationFailed.code, "signature"],
]);
