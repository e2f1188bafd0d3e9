import type { ClientCapabilities } from "../protocol/capabilities.js";
import type { Implementation } from "../protocol/features.js";
import { isObject, stringText } from "../protocol/json.js";
import { requestText } from "../protocol/jsonrpc.js";
import {
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_LOG_LEVEL,
  META_PROGRESS_TOKEN,
  META_PROTOCOL_VERSION,
} from "../protocol/meta.js";
import { PROTOCOL_VERSION } from "../protocol/methods.js";
import type { Listeners } from "./listeners.js";
import type { Asking } from "./sending.js";

/**
 * Writes requests. Params carry the `_meta` every request has to: the caller's own members of it
 * stay, the protocol's are this client's to say. The request's id, unique while it is under way, is
 * its progress token.
 *
 * All of it is written as text at once: hardly any of it differs from one request to the next, and
 * objects put together for each are written at twice the cost.
 *
 * Specification: basic/index, `_meta`; basic/patterns/mrtr, client requirements.
 */
export class Envelopes {
  readonly #info: Implementation;
  /** What was written last of every request's `_meta`, and for which capabilities. */
  #usual: { readonly capabilities: ClientCapabilities; readonly text: string } | undefined;

  constructor(info: Implementation) {
    this.#info = info;
  }

  /** One request, the whole message. */
  text({ method, params, capabilities, retry }: Asking, id: number, listeners: Listeners): string {
    const { _meta: own } = params;
    const meta = this.#meta(own, id, capabilities, listeners);
    const given = JSON.stringify(own === undefined ? params : { ...params, _meta: undefined });
    let text = `{"_meta":${meta}`;
    if (given !== "{}") text += `,${given.slice(1, -1)}`;
    if (retry !== undefined) {
      const answers = JSON.stringify(retry.answers);
      if (answers !== "{}") text += `,"inputResponses":${answers}`;
      const { requestState } = retry;
      if (requestState !== undefined) text += `,"requestState":${stringText(requestState)}`;
    }
    return requestText(id, method, `${text}}`);
  }

  #meta(own: unknown, id: number, capabilities: ClientCapabilities, listeners: Listeners): string {
    const { onProgress, resetTimeoutOnProgress, logLevel } = listeners;
    const wantsProgress = onProgress !== undefined || resetTimeoutOnProgress === true;
    if (!isObject(own) && !wantsProgress && logLevel === undefined) {
      if (this.#usual?.capabilities !== capabilities) {
        this.#usual = { capabilities, text: JSON.stringify(this.#members(capabilities)) };
      }
      return this.#usual.text;
    }
    return JSON.stringify({
      ...(isObject(own) && own),
      ...this.#members(capabilities),
      ...(wantsProgress && { [META_PROGRESS_TOKEN]: id }),
      ...(logLevel !== undefined && { [META_LOG_LEVEL]: logLevel }),
    });
  }

  /** What the protocol wants said of every request. */
  #members(capabilities: ClientCapabilities): Record<string, unknown> {
    return {
      [META_PROTOCOL_VERSION]: PROTOCOL_VERSION,
      [META_CLIENT_INFO]: this.#info,
      [META_CLIENT_CAPABILITIES]: capabilities,
    };
  }
}
