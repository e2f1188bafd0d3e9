import type { AuthorizationServer } from "oauth4webapi";
import { metadataUrls } from "../discovery.js";
import { AuthorizationError } from "./errors.js";
import { type AuthHttp, getDocument } from "./http.js";

/** An authorization server: what this client read of its metadata, and checked. */
export interface Issuer extends AuthorizationServer {
  readonly token_endpoint: string;
  readonly client_id_metadata_document_supported: boolean;
}

/**
 * Finds an authorization server's metadata at its well-known places, in the order the specification
 * gives. A document that names another issuer is not used, and nothing further is tried.
 * Specification: basic/authorization/authorization-server-discovery, Authorization Server Metadata
 * Discovery; RFC 8414, section 3.3.
 */
export async function findIssuer(http: AuthHttp, issuer: string): Promise<Issuer> {
  const { search } = http.check(issuer, "The authorization server the server names");
  if (search !== "") throw invalid(issuer, "its identifier has a query");
  for (const url of metadataUrls(issuer)) {
    const document = await getDocument(http, url);
    if (document !== undefined) return readIssuer(http, issuer, document);
  }
  throw new AuthorizationError(
    "metadata_missing",
    `The authorization server ${issuer} has no metadata, neither of OAuth (RFC 8414) nor of OpenID Connect.`,
  );
}

function readIssuer(
  http: AuthHttp,
  issuer: string,
  document: Readonly<Record<string, unknown>>,
): Issuer {
  if (document["issuer"] !== issuer) {
    throw new AuthorizationError(
      "issuer_mismatch",
      `The metadata of the authorization server ${issuer} is about another issuer: it was not used.`,
    );
  }
  const endpoint = (name: string): string | undefined => {
    const url = document[name];
    return typeof url === "string" ? http.check(url, `The ${name} of ${issuer}`).href : undefined;
  };
  const texts = (name: string): string[] | undefined => {
    const value = document[name];
    if (!Array.isArray(value)) return undefined;
    return value.filter((item) => typeof item === "string");
  };
  const tokenEndpoint = endpoint("token_endpoint");
  if (tokenEndpoint === undefined) throw invalid(issuer, "it has no token_endpoint");
  return defined({
    issuer,
    authorization_endpoint: endpoint("authorization_endpoint"),
    token_endpoint: tokenEndpoint,
    registration_endpoint: endpoint("registration_endpoint"),
    scopes_supported: texts("scopes_supported"),
    code_challenge_methods_supported: texts("code_challenge_methods_supported"),
    token_endpoint_auth_methods_supported: texts("token_endpoint_auth_methods_supported"),
    dpop_signing_alg_values_supported: texts("dpop_signing_alg_values_supported"),
    id_token_signing_alg_values_supported: texts("id_token_signing_alg_values_supported"),
    client_id_metadata_document_supported:
      document["client_id_metadata_document_supported"] === true,
    authorization_response_iss_parameter_supported:
      document["authorization_response_iss_parameter_supported"] === true,
  });
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Without the members that are undefined. */
function defined<T extends object>(members: T): Defined<T> {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Defined<T>;
}

function invalid(issuer: string, why: string): AuthorizationError {
  const message = `The metadata of the authorization server ${issuer} cannot be used: ${why}.`;
  return new AuthorizationError("metadata_invalid", message);
}
