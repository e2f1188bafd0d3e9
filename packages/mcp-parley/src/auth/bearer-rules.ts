import type { JSONWebKeySet, JWTVerifyGetKey } from "jose";
import { ParleyError } from "../protocol/errors.js";
import { isObject } from "../protocol/json.js";
import { checkScopes } from "../protocol/check-scopes.js";
import type { Logger } from "../flow/options.js";
import { type Anonymous, readAnonymous } from "./anonymous.js";
import type { BearerOptions, TrustedIssuer } from "./bearer-options.js";
import { type Reach, issuerKeys } from "./issuer-keys.js";
import { type ResourceMetadata, resourceMetadata } from "./metadata.js";
import { checkUrl } from "./urls.js";
import type { TokenRules } from "./verify-token.js";

/** The settings of `bearer`, checked once. */
export interface BearerRules extends TokenRules {
  readonly scopes: readonly string[];
  readonly anonymous: Anonymous;
  readonly metadata: ResourceMetadata;
  readonly onRefusal: BearerOptions["onRefusal"];
}

/** What anyone with the public key can check and only the issuer can make. */
const ALGORITHMS: readonly string[] = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];

/** Further than this, clocks are not apart but wrong, in ms. */
const MAX_TOLERANCE = 300_000;

/** Throws a `usage` error where a setting can't be what was meant. */
export function bearerRules(options: BearerOptions, now: () => number, log: Logger): BearerRules {
  const { resource, onRefusal, clientClaim } = options;
  const scopes = checkScopes("scopes", options.scopes ?? []);
  const { implies = {} } = options;
  checkScopes("implies", Object.entries(implies).flat(2));
  const issuers = [options.issuer].flat().map(asTrusted);
  if (issuers.length === 0) throw new ParleyError("usage", "issuer: name at least one");
  const reach = {
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    timeoutMs: within("timeoutMs", options.timeoutMs ?? 5_000, 1, 60_000),
    now,
    log,
  } satisfies Reach;
  return {
    scopes,
    anonymous: readAnonymous(options.anonymous ?? false),
    metadata: metadataOf(options, issuers, scopes),
    onRefusal,
    keys: keysOf(issuers, reach),
    audiences: audiencesOf(resource, options.audience),
    algorithms: algorithmsOf(options.algorithms),
    clockToleranceMs: within(
      "clockToleranceMs",
      options.clockToleranceMs ?? 30_000,
      0,
      MAX_TOLERANCE,
    ),
    clientClaim,
    implied: implies,
    now,
  };
}

function asTrusted(given: string | TrustedIssuer): TrustedIssuer {
  const trusted = typeof given === "string" ? { issuer: given } : given;
  checkUrl("issuer", trusted.issuer);
  return trusted;
}

function keysOf(issuers: readonly TrustedIssuer[], reach: Reach): Map<string, JWTVerifyGetKey> {
  return new Map(
    issuers.map(({ issuer, jwks }) => {
      const keys = typeof jwks === "string" ? checkUrl("jwks", jwks) : jwks && publicKeys(jwks);
      return [issuer, issuerKeys(issuer, keys, reach)];
    }),
  );
}

/** Keys that are given are public ones: a secret has no business here. */
function publicKeys(jwks: JSONWebKeySet): JSONWebKeySet {
  const keys: unknown = (jwks as Partial<JSONWebKeySet>).keys;
  const isPublic = (key: unknown): boolean =>
    isObject(key) && !("d" in key) && key["kty"] !== "oct";
  if (Array.isArray(keys) && keys.length > 0 && keys.every(isPublic)) return jwks;
  throw new ParleyError("usage", "jwks: give { keys: […] } of public keys only, or a URL");
}

/** The resource's URL as it was given and, since clients may spell it so, in its canonical form. */
function audiencesOf(resource: string, given: BearerOptions["audience"]): readonly string[] {
  const audiences = given === undefined ? [resource, new URL(resource).href] : [given].flat();
  if (audiences.length > 0 && !audiences.includes("")) return audiences;
  throw new ParleyError("usage", "audience: name at least one, and none that is empty");
}

function algorithmsOf(given: readonly string[] = ALGORITHMS): readonly string[] {
  const unknown = given.find((algorithm) => !ALGORITHMS.includes(algorithm));
  if (given.length > 0 && unknown === undefined) return [...given];
  const why = unknown === undefined ? "name at least one" : `not ${unknown}`;
  throw new ParleyError("usage", `algorithms: ${why}; there are ${ALGORITHMS.join(", ")}`);
}

function metadataOf(
  options: BearerOptions,
  issuers: readonly TrustedIssuer[],
  scopes: readonly string[],
): ResourceMetadata {
  const { resource, name, documentation } = options;
  checkUrl("resource", resource);
  const supported = checkScopes("scopesSupported", options.scopesSupported ?? scopes);
  return resourceMetadata({
    resource,
    authorization_servers: issuers.map(({ issuer }) => issuer),
    ...(supported.length === 0 ? {} : { scopes_supported: supported }),
    bearer_methods_supported: ["header"],
    ...(name === undefined ? {} : { resource_name: name }),
    ...(documentation === undefined ? {} : { resource_documentation: documentation }),
  });
}

function within(setting: string, value: number, least: number, most: number): number {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
  const range = `${String(least)} to ${String(most)}`;
  throw new ParleyError(
    "usage",
    `${setting} is a whole number from ${range}, not ${String(value)}`,
  );
}
