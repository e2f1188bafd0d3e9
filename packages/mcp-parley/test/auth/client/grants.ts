import { type JWTPayload, createRemoteJWKSet, jwtVerify } from "jose";
import { errors } from "oidc-provider";
import { type Login, resourceInfo } from "./world.js";

/** The grants by assertion, taught to real authorization servers that judge what they are shown. */

export const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
export const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const TYPE = "urn:ietf:params:oauth:token-type:";
const ID_JAG = "oauth-id-jag+jwt";

const words = (text: unknown): string[] => (typeof text === "string" ? text.split(" ") : []);

async function verified(
  token: unknown,
  from: Login,
  audience: string,
  typ?: string,
): Promise<JWTPayload> {
  const keys = createRemoteJWKSet(new URL(`${from.issuer}/jwks`));
  const expected = { issuer: from.issuer, audience, ...(typ !== undefined && { typ }) };
  try {
    return (await jwtVerify(String(token), keys, expected)).payload;
  } catch {
    throw new errors.InvalidGrant("the assertion is not good");
  }
}

/**
 * From now on `login` gives tokens for assertions of `trusted` (RFC 7523). Where they are to be
 * identity assertion grants they have to be for this client, this resource and these scopes.
 */
export function takeAssertions(login: Login, trusted: Login, kind: "workload" | "id-jag"): void {
  const { provider } = login;
  provider.registerGrantType(
    JWT_BEARER,
    async (ctx) => {
      const { client, params } = ctx.oidc;
      const isGrant = kind === "id-jag";
      const typ = isGrant ? ID_JAG : undefined;
      const about = await verified(params["assertion"], trusted, login.issuer, typ);
      const resource = String(params.resource);
      const isOther = about["client_id"] !== client.clientId || about["resource"] !== resource;
      if (isGrant && isOther) throw new errors.InvalidGrant("the grant is another's");
      const [asked, granted] = [words(params.scope), words(about["scope"])];
      const beyond = isGrant && asked.find((scope) => !granted.includes(scope));
      if (beyond) throw new errors.InvalidScope("not granted", beyond);
      const scope = asked.join(" ");
      const accountId = String(about.sub);
      const grantId = await new provider.Grant({ clientId: client.clientId, accountId }).save();
      const gty = JWT_BEARER;
      const token = new provider.AccessToken({ client, accountId, grantId, gty, scope });
      token.resourceServer = new provider.ResourceServer(resource, resourceInfo(resource));
      ctx.body = {
        access_token: await token.save(),
        expires_in: 600,
        token_type: token.tokenType,
        scope,
      };
    },
    ["assertion", "scope", "resource"],
  );
}

/** What an identity provider thinks of what it is asked for. */
export interface Policy {
  /** The scopes it grants at most. */
  scopes: string[];
  /** Whether it lets its people use the server at all. */
  allows: boolean;
  /** What it does to the claims of the grants it gives. */
  alter: (claims: JWTPayload) => JWTPayload;
}

/**
 * From now on `idp` gives identity assertion grants for its ID tokens (RFC 8693). `clients` says
 * what its clients are called at the authorization servers of others.
 */
export function giveGrants(
  idp: Login,
  clients: Readonly<Record<string, string>>,
  policy: Policy,
): void {
  idp.provider.registerGrantType(
    TOKEN_EXCHANGE,
    async (ctx) => {
      const { client, params } = ctx.oidc;
      const { audience, resource } = params as { audience?: string; resource?: string };
      if (params["requested_token_type"] !== `${TYPE}id-jag`)
        throw new errors.InvalidRequest("what else?");
      if (params["subject_token_type"] !== `${TYPE}id_token`)
        throw new errors.InvalidRequest("what else?");
      const { sub } = await verified(params["subject_token"], idp, client.clientId);
      if (!policy.allows) throw new errors.AccessDenied("not with this server");
      const scope = words(params.scope).filter((scope) => policy.scopes.includes(scope));
      const about = {
        ...{ sub, aud: audience, resource, client_id: clients[client.clientId] },
        ...{ jti: String(Math.random()), scope: scope.join(" ") },
      } as JWTPayload;
      ctx.body = {
        access_token: await idp.sign(policy.alter(about), ID_JAG),
        issued_token_type: `${TYPE}id-jag`,
        token_type: "N_A",
        expires_in: 300,
        scope: about["scope"],
      };
    },
    [
      ...["audience", "resource", "scope", "requested_token_type"],
      ...["subject_token", "subject_token_type"],
    ],
  );
}
