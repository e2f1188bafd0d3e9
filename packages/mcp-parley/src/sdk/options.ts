import type { ServerContext } from "@modelcontextprotocol/server";
import type { ParleyOptions } from "../flow/options.js";
import type { FlowSettings } from "../flow/settings.js";
import type { ClientCapabilities } from "../protocol/capabilities.js";
import type { Principal } from "../state/principal.js";

/** What flows in servers of the official SDK stand on. */
export interface SdkOptions extends ParleyOptions {
  /**
   * The server's name, part of every state: a state of one name is nothing to another that shares
   * its keys, so give all instances of one server one name. Default `mcp-parley`.
   */
  readonly name?: string;
  /**
   * Who is calling, from what the SDK's authentication has verified; undefined is anonymous.
   * Default: of `ctx.http.authInfo`, the `sub` and `iss` in its `extra` and its `clientId`. An
   * access token that names no subject stands for itself: then the states it was given end with
   * it, which is said once.
   */
  readonly principal?: (ctx: ServerContext) => Principal | undefined;
}

/** How one flow is bounded, and what it is to know. */
export interface SdkFlowOptions extends Partial<FlowSettings> {
  /**
   * What a client of a 2025 revision declared when it connected, which the SDK does not tell its
   * handlers: `() => server.server.getClientCapabilities()`. Default: such a client can do
   * everything, so that `call.can` says yes, and the SDK refuses what the client lacks.
   */
  readonly capabilities?: () => ClientCapabilities | undefined;
}
