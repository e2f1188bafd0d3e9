import { SignJWT, exportJWK, generateKeyPair } from "jose";
import type { JSONWebKeySet, JWTPayload } from "jose";
import { bearerBy } from "../../src/auth/bearer.js";
import type { BearerAuthenticate } from "../../src/auth/bearer.js";
import type { BearerOptions } from "../../src/auth/bearer-options.js";
import { bearerRules } from "../../src/auth/bearer-rules.js";
import { createMcpServer } from "../../src/server/server.js";
import type { McpServer } from "../../src/server/server.js";
import { text } from "../../src/server/results.js";
import type { Call } from "../../src/flow/call.js";
import type { CacheHints } from "../../src/protocol/features.js";
import { request } from "../support/caller.js";
import type { Wire } from "../support/hosts.js";
import { type Door, json, post, throughFetch } from "../transport/doors.js";

/** The server every token in these tests is, or is not, for. */
export const RESOURCE = "https://mcp.example/mcp";
export const METADATA = "https://mcp.example/.well-known/oauth-protected-resource/mcp";

/** A bearer that remembers what it refused and reported, and whose clock can be moved. */
export interface Guard {
  readonly authenticate: BearerAuthenticate;
  readonly faults: string[];
  readonly log: string[];
  /** How far ahead its clock is, in ms. */
  ahead: number;
}

export function guard(options: Partial<BearerOptions> & Pick<BearerOptions, "issuer">): Guard {
  const [faults, log]: [string[], string[]] = [[], []];
  const settings = {
    resource: RESOURCE,
    onRefusal: ({ fault }: { fault: string }) => void faults.push(fault),
    ...options,
  };
  const report = { warn: () => undefined, error: (line: string) => void log.push(line) };
  const now = (): number => Date.now() + made.ahead;
  const authenticate = bearerBy(bearerRules(settings, now, report));
  const made: Guard = { authenticate, faults, log, ahead: 0 };
  return made;
}

/** What one request came to. */
export interface Answered {
  readonly status: number;
  readonly challenge: string | null;
  readonly retryAfter: string | null;
  readonly result: Wire | undefined;
  readonly error: { code: number; message: string; data?: unknown } | undefined;
}

/** Sends a message with a token, or without one. */
export async function ask(door: Door, message: Wire, token?: string): Promise<Answered> {
  const authorization = token === undefined ? undefined : `Bearer ${token}`;
  return knock(door, message, { authorization });
}

/** Sends a message with whatever headers. */
export async function knock(
  door: Door,
  message: Wire,
  headers: Record<string, string | undefined>,
): Promise<Answered> {
  const got = await door.send(post(message as { method: string; params?: object }, headers));
  const body = (await json(got).catch(() => ({}))) as Pick<Answered, "result" | "error">;
  return {
    status: got.status,
    challenge: got.header("www-authenticate"),
    retryAfter: got.header("retry-after"),
    result: body.result,
    error: body.error,
  };
}

export const call = (name: string, extra: Wire = {}): Wire =>
  request("tools/call", { name, arguments: {}, ...extra });

/** A server that says who called, behind `guarded`. */
export async function open(guarded: Guard, server: McpServer = whoami(), door = throughFetch) {
  return door(server, { authenticate: guarded.authenticate, log: false });
}

/** Its tools tell the caller's principal and hold some scopes. */
export function whoami(cache?: CacheHints): McpServer {
  const tell = (_: unknown, { principal }: Call) => text(JSON.stringify(principal ?? null));
  return createMcpServer({ name: "notes", version: "1" }, { log: false, ...(cache && { cache }) })
    .tool("whoami", {}, tell)
    .tool("signed_in", { scopes: [] }, tell)
    .tool("write", { scopes: ["notes:read", "notes:write"] }, tell);
}

/** Who the server took the caller for. */
export function callerIn({ result }: Answered): unknown {
  const [content] = (result?.["content"] ?? []) as { text: string }[];
  return content === undefined ? undefined : (JSON.parse(content.text) as unknown);
}

/** An issuer of this test's own, whose keys are given rather than fetched. */
export async function localIssuer(issuer = "https://local.example") {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const jwks: JSONWebKeySet = { keys: [{ ...(await exportJWK(publicKey)), kid: "local" }] };
  const sign = (claims: JWTPayload = {}, header: object = {}): Promise<string> =>
    new SignJWT({
      aud: RESOURCE,
      sub: "ada",
      client_id: "desktop",
      iss: issuer,
      ...inAnHour(),
      ...claims,
    })
      .setProtectedHeader({ alg: "ES256", kid: "local", typ: "at+jwt", ...header })
      .sign(privateKey);
  return { issuer, jwks, sign };
}

export function inAnHour(): { exp: number } {
  return { exp: Math.floor(Date.now() / 1000) + 3600 };
}
