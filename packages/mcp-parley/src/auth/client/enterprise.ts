import { scopesIn } from "./challenge.js";
import { AuthorizationError } from "./errors.js";
import type { AuthHttp } from "./http.js";
import { type KnownClient, knownAt } from "./identify.js";
import { findIssuer } from "./issuer.js";
import { type TokenRequest, answerToGrant } from "./tokens.js";

/** What an identity provider says somebody is by (RFC 8693, section 3). */
export type IdentityAssertionType = "id_token" | "saml2";

/** A person's identity, asserted to a client of an identity provider's. */
export interface Identity {
  /** The client as the identity provider knows it. */
  readonly client: KnownClient;
  readonly assertion: string;
  readonly type: IdentityAssertionType;
}

/** A grant for one authorization server, and the scopes it is for. */
export interface IdentityGrant {
  readonly assertion: string;
  readonly scopes: readonly string[];
}

const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const TOKEN_TYPE = "urn:ietf:params:oauth:token-type:";
const ID_JAG = `${TOKEN_TYPE}id-jag`;

/**
 * Has an identity provider give a grant (an ID-JAG) for what `wanted` is about: that authorization
 * server, resource and scopes. Whether it may is the provider's to say; it is believed that what it
 * gave is for no other, which the authorization server will check.
 *
 * Specification: Enterprise-Managed Authorization, section 4; RFC 8693.
 */
export async function identityGrant(
  { client: known, assertion, type }: Identity,
  wanted: TokenRequest,
  http: AuthHttp,
): Promise<IdentityGrant> {
  const issuer = await findIssuer(http, known.issuer);
  const client = knownAt(issuer, known);
  const answer = await answerToGrant(
    { ...wanted, issuer, client, http, binding: undefined },
    TOKEN_EXCHANGE,
    {
      requested_token_type: ID_JAG,
      audience: wanted.issuer.issuer,
      subject_token: assertion,
      subject_token_type: TOKEN_TYPE + type,
    },
    { n_a: () => undefined },
  );
  // Anything else, such as an access token, is not for the eyes of another authorization server.
  if (answer["issued_token_type"] !== ID_JAG) {
    throw new AuthorizationError(
      "token_invalid",
      `The identity provider ${known.issuer} gave something other than an identity assertion grant (${ID_JAG}).`,
    );
  }
  const { access_token: grant, scope } = answer;
  return { assertion: grant, scopes: scope === undefined ? wanted.scopes : scopesIn(scope) };
}
