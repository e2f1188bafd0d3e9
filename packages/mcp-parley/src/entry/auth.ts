/**
 * Authorization of HTTP servers by OAuth access tokens. Needs `jose`, 6 or later.
 */
import { bearerBy } from "../auth/bearer.js";
import type { BearerAuthenticate } from "../auth/bearer.js";
import type { BearerOptions } from "../auth/bearer-options.js";
import { bearerRules } from "../auth/bearer-rules.js";

/**
 * Makes the `authenticate` of an HTTP handler out of OAuth: takes JWT access tokens (RFC 9068) of the
 * issuers named, for this server and no other, and challenges everyone else with 401. The principal
 * is issuer, subject and client, with the scopes granted. `serve` also serves its metadata (RFC
 * 9728); beside the handlers of `/node` and `/fetch`, put {@link metadataNodeHandler} or
 * {@link metadataFetchHandler}.
 *
 * A token must be signed by an asymmetric algorithm under a key of its issuer's, name this server in
 * `aud`, have a subject and an expiry, and be bound to no other key. Opaque tokens are refused. Keys
 * are fetched when first needed, kept ten minutes, and looked up again for a key that is not known,
 * at most twice a minute; while they can't be had, tokens are refused with 503. Throws `usage` for
 * settings that can't be meant. Specification: basic/authorization.
 */
export function bearer(options: BearerOptions): BearerAuthenticate {
  const log = options.log === false ? SILENT : (options.log ?? console);
  return bearerBy(bearerRules(options, Date.now, log));
}

const SILENT = { warn: () => undefined, error: () => undefined };

export { metadataFetchHandler, metadataNodeHandler } from "../auth/serve-metadata.js";
export type { MetadataFetchHandler, MetadataNodeHandler } from "../auth/serve-metadata.js";
export type { BearerAuthenticate } from "../auth/bearer.js";
export type { BearerOptions, TokenRefusal, TrustedIssuer } from "../auth/bearer-options.js";
export type { TokenFault } from "../auth/verify-token.js";
export type { Fetch } from "../auth/fetch-json.js";
export type { Implied } from "../auth/granted-scopes.js";
export type { ResourceMetadata, ResourceMetadataDocument } from "../auth/metadata.js";
export type { Authenticate, HeaderReader, HttpHead, Refusal } from "../auth/authenticate.js";
export type { Logger } from "../flow/options.js";
export type { Principal } from "../state/principal.js";
export { ParleyError, isParleyError } from "../protocol/errors.js";
