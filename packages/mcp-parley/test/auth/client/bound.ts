import http from "node:http";
import * as oauth from "oauth4webapi";
import { decodeJwt } from "jose";
import type { HttpHead } from "../../../src/auth/authenticate.js";
import { toNodeHandler } from "../../../src/transport/node-http.js";
import { whoami } from "../guarded.js";
import { type Login, type Notes, listen } from "./world.js";

const METADATA = "/.well-known/oauth-protected-resource/mcp";

/** A server of ours behind oauth4webapi's resource server: it takes tokens bound to keys alone. */
export interface BoundNotes extends Pick<Notes, "url" | "shown" | "close"> {
  /** The proofs it took. */
  readonly proofs: string[];
  /** The requests it refused, by the error of its challenge. */
  readonly refused: string[];
  /** What it wants as nonce in proofs; undefined for none. */
  nonce: string | undefined;
  /** Called once it has asked for its nonce and said which one. */
  onNonceAsked: () => void;
  /** The nonce it gives with every answer, good ones too; undefined for none. */
  offers: string | undefined;
  /** The error it refuses every proof with, whatever is in it. */
  distrust: string | undefined;
}

export async function startBoundNotes(login: Login): Promise<BoundNotes> {
  const listener = http.createServer();
  const origin = await listen(listener);
  const url = `${origin}/mcp`;
  const issuer = { issuer: login.issuer, jwks_uri: `${login.issuer}/jwks` };
  const used = new Set<unknown>();
  const resource = { resource: url, authorization_servers: [login.issuer] };

  const challenge = (error: string, scopes: readonly string[] = ["notes:read"]): string => {
    const members = { error, scope: scopes.join(" "), resource_metadata: origin + METADATA };
    const all = Object.entries(members).map(([name, value]) => `${name}="${value}"`);
    return `DPoP ${all.join(", ")}`;
  };
  const refuse = (error: string) => {
    notes.refused.push(error);
    const headers: Record<string, string> = { "www-authenticate": challenge(error) };
    if (error === "use_dpop_nonce") {
      if (notes.nonce !== undefined) headers["dpop-nonce"] = notes.nonce;
      notes.onNonceAsked();
    }
    return { status: 401, headers };
  };
  const authenticate = async ({ headers }: HttpHead) => {
    const [authorization, dpop] = [headers.get("authorization"), headers.get("dpop")];
    if (authorization === null) return refuse("");
    if (notes.distrust !== undefined) return refuse(notes.distrust);
    const request = new Request(url, {
      method: "POST",
      headers: { authorization, ...(dpop !== null && { dpop }) },
    });
    const options = { requireDPoP: true, [oauth.allowInsecureRequests]: true };
    let claims: oauth.JWTAccessTokenClaims;
    try {
      claims = await oauth.validateJwtAccessToken(issuer, request, url, options);
    } catch {
      return refuse("invalid_token");
    }
    const { jti, nonce } = decodeJwt(String(dpop));
    if (used.has(jti)) return refuse("invalid_dpop_proof");
    used.add(jti);
    if (nonce !== notes.nonce) return refuse("use_dpop_nonce");
    notes.proofs.push(String(dpop));
    const scopes = claims.scope?.split(" ") ?? [];
    return { issuer: claims.iss, subject: claims.sub, client: claims.client_id, scopes };
  };
  const guard = Object.assign(authenticate, {
    challenge: (scopes: readonly string[]) => challenge("insufficient_scope", scopes),
  });
  const server = whoami({ ttlMs: 60_000, cacheScope: "private" });
  const mcp = toNodeHandler(server, { authenticate: guard, log: false });
  const notes: BoundNotes = {
    url,
    shown: [],
    proofs: [],
    refused: [],
    nonce: undefined,
    onNonceAsked: () => undefined,
    offers: undefined,
    distrust: undefined,
    async close() {
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
  listener.on("request", (request, response) => {
    if (request.url === METADATA) {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(resource));
      return;
    }
    notes.shown.push(request.headers.authorization);
    if (notes.offers !== undefined) response.setHeader("dpop-nonce", notes.offers);
    mcp(request, response);
  });
  return notes;
}
