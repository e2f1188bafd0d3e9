import { readClientCapabilities } from "./capabilities.js";
import type { ClientCapabilities } from "./capabilities.js";
import { INVALID_PARAMS } from "./codes.js";
import type { Implementation } from "./features.js";
import { isObject, own } from "./json.js";
import type { ProgressToken } from "./jsonrpc.js";
import { isRequestId } from "./jsonrpc.js";
import type { LoggingLevel } from "./notifications.js";
import { LOGGING_LEVELS } from "./notifications.js";

// The keys of `_meta` that the revision reserves. Specification: basic/index, `_meta`.
export const META_PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion";
export const META_CLIENT_INFO = "io.modelcontextprotocol/clientInfo";
export const META_CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
export const META_LOG_LEVEL = "io.modelcontextprotocol/logLevel";
export const META_SERVER_INFO = "io.modelcontextprotocol/serverInfo";
export const META_SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId";
export const META_PROGRESS_TOKEN = "progressToken";
export const META_TRACEPARENT = "traceparent";
export const META_TRACESTATE = "tracestate";
export const META_BAGGAGE = "baggage";

/** What a request says of itself, beside what it asks for. */
export interface Envelope {
  readonly protocolVersion: string;
  readonly clientCapabilities: ClientCapabilities;
  /** Undefined where it is missing or malformed: it is for display and logs alone. */
  readonly clientInfo: Implementation | undefined;
  /** Undefined: no log messages may be sent. */
  readonly logLevel: LoggingLevel | undefined;
  /** Undefined: no progress may be sent. */
  readonly progressToken: ProgressToken | undefined;
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
  readonly baggage: string | undefined;
}

/** The envelope, or the error (HTTP 400) that a request without a sound one is answered with. */
export type ReadEnvelope =
  { ok: true; envelope: Envelope } | { ok: false; code: typeof INVALID_PARAMS; why: string };

/**
 * Reads the envelope of a request from its params. Whether the version is one the server speaks
 * is the server's to say. Never throws. Specification: basic/index, Per-request protocol fields.
 */
export function readEnvelope(params: unknown): ReadEnvelope {
  const meta = isObject(params) ? own(params, "_meta") : undefined;
  if (!isObject(meta)) return refuse("params._meta is missing");

  const protocolVersion = own(meta, META_PROTOCOL_VERSION);
  if (typeof protocolVersion !== "string") {
    return refuse(`_meta["${META_PROTOCOL_VERSION}"] is missing or no string`);
  }
  if (!Object.hasOwn(meta, META_CLIENT_CAPABILITIES)) {
    return refuse(`_meta["${META_CLIENT_CAPABILITIES}"] is missing`);
  }
  const declared = readClientCapabilities(meta[META_CLIENT_CAPABILITIES]);
  if (!declared.ok) return refuse(`_meta["${META_CLIENT_CAPABILITIES}"]${declared.why}`);

  const logLevel = own(meta, META_LOG_LEVEL);
  if (logLevel !== undefined && !isLoggingLevel(logLevel)) {
    return refuse(`_meta["${META_LOG_LEVEL}"] is no log level`);
  }
  const progressToken = own(meta, META_PROGRESS_TOKEN);
  if (progressToken !== undefined && !isRequestId(progressToken)) {
    return refuse("_meta.progressToken is neither a string nor a safe integer");
  }
  const clientInfo = own(meta, META_CLIENT_INFO);
  return {
    ok: true,
    envelope: {
      protocolVersion,
      clientCapabilities: declared.capabilities,
      clientInfo: isImplementation(clientInfo) ? clientInfo : undefined,
      logLevel,
      progressToken,
      traceparent: text(meta, META_TRACEPARENT),
      tracestate: text(meta, META_TRACESTATE),
      baggage: text(meta, META_BAGGAGE),
    },
  };
}

function refuse(why: string): ReadEnvelope {
  return { ok: false, code: INVALID_PARAMS, why };
}

function text(meta: object, key: string): string | undefined {
  const value = own(meta, key);
  return typeof value === "string" ? value : undefined;
}

const LEVELS: ReadonlySet<unknown> = new Set(LOGGING_LEVELS);

/** True for one of the eight log levels. */
export function isLoggingLevel(value: unknown): value is LoggingLevel {
  return LEVELS.has(value);
}

/** True for an object with the name and version every implementation has. */
export function isImplementation(value: unknown): value is Implementation {
  return (
    isObject(value) &&
    typeof own(value, "name") === "string" &&
    typeof own(value, "version") === "string"
  );
}

/** The `data` of an unsupported-version error (`-32022`). */
export function unsupportedVersion(
  supported: readonly string[],
  requested: string,
): { supported: string[]; requested: string } {
  return { supported: [...supported], requested };
}

const LABEL = "[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?";
const META_KEY = new RegExp(
  `^(?:${LABEL}(?:\\.${LABEL})*/)?(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?$`,
);

/** True for a well-formed `_meta` key: an optional dotted prefix and slash, then a name. */
export function isMetaKey(key: string): boolean {
  return META_KEY.test(key);
}
