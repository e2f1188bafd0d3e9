import type { ServerContext } from "@modelcontextprotocol/server";
import type { Logger } from "../flow/options.js";
import { readClientCapabilities } from "../protocol/capabilities.js";
import type { ClientCapabilities } from "../protocol/capabilities.js";
import { META_CLIENT_CAPABILITIES } from "../protocol/meta.js";
import { sha256 } from "../state/digest.js";
import { NO_PRINCIPAL, isPrincipal } from "../state/principal.js";
import type { Principal } from "../state/principal.js";
import type { SdkFlowOptions, SdkOptions } from "./options.js";

/** What a client of a 2025 revision is taken to be able to do: the SDK refuses what it is not. */
const EVERYTHING: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {}, context: {} },
  roots: {},
};

/** Who issued the subject of a token that names none. No issuer is a word without a colon. */
const TOKEN_ITSELF = "access token";

/** Who calls a server of the SDK's, and what their client can do. */
export class Callers {
  readonly #options: SdkOptions;
  readonly #log: Logger;
  #warned = false;

  constructor(options: SdkOptions, log: Logger) {
    this.#options = options;
    this.#log = log;
  }

  principal(ctx: ServerContext): Principal | undefined {
    if (this.#options.principal !== undefined) return checked(this.#options.principal(ctx));
    const authInfo = ctx.http?.authInfo;
    if (authInfo === undefined) return undefined;
    const { token, clientId: client, extra = {} } = authInfo;
    const { sub, iss } = extra;
    if (typeof sub === "string" && sub !== "") {
      return { issuer: typeof iss === "string" ? iss : "", subject: sub, client };
    }
    this.#warnOfTokens();
    return { issuer: TOKEN_ITSELF, subject: sha256(token), client };
  }

  /** `older` tells what a client of a 2025 revision has declared. */
  capabilities(ctx: ServerContext, older: SdkFlowOptions["capabilities"]): ClientCapabilities {
    const envelope: Readonly<Record<string, unknown>> | undefined = ctx.mcpReq.envelope;
    if (envelope === undefined) return older === undefined ? EVERYTHING : (older() ?? {});
    const declared = readClientCapabilities(envelope[META_CLIENT_CAPABILITIES]);
    return declared.ok ? declared.capabilities : {};
  }

  #warnOfTokens(): void {
    if (this.#warned) return;
    this.#warned = true;
    this.#log.warn(
      "An access token came without a subject in authInfo.extra.sub. Two users of one client must not be one, so each token stands for itself, and a flow cannot go on after its token was refreshed. Put `sub` (and `iss`) into `extra` where you verify tokens, or pass `principal` to createParley.",
    );
  }
}

function checked(principal: Principal | undefined): Principal | undefined {
  if (principal === undefined || isPrincipal(principal)) return principal;
  throw new TypeError(NO_PRINCIPAL);
}
