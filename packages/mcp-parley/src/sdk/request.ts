import type { ServerContext } from "@modelcontextprotocol/server";
import type { RoundRequest } from "../flow/request.js";
import { ParleyError } from "../protocol/errors.js";
import { PROGRESS, RESOURCES_READ, isAskingMethod } from "../protocol/methods.js";

/** What a request of the SDK's leaves to others to say. */
type Rest = Pick<RoundRequest, "capabilities" | "principal" | "early" | "settings">;

/**
 * A request as a flow takes it, from what the SDK tells a handler. The SDK keeps the parameters to
 * itself, so that a state is bound to what it has made of them: the parsed arguments, or the URI.
 */
export function requestOf(
  name: string,
  given: readonly unknown[],
  ctx: ServerContext,
  rest: Rest,
): RoundRequest {
  const { method, inputResponses, signal } = ctx.mcpReq;
  if (!isAskingMethod(method)) {
    throw new ParleyError("usage", `A flow answers tools, prompts and resources, not ${method}`);
  }
  const isResource = method === RESOURCES_READ;
  const about = isResource ? { uri: String(given[0]) } : { arguments: given[0] ?? {} };
  const state: unknown = rest.early === undefined ? ctx.mcpReq.requestState() : undefined;
  return {
    ...rest,
    method,
    name: about.uri ?? name,
    params: {
      name,
      ...about,
      ...(inputResponses === undefined ? {} : { inputResponses }),
      ...(state === undefined ? {} : { requestState: state }),
    },
    meta: "",
    signal: () => signal,
    progress: progressOf(ctx),
    log: (level, data, logger) => drop(ctx.mcpReq.log(level, data, logger)),
  };
}

/** Sends progress to a client that gave a token, as long as it grows. */
function progressOf(ctx: ServerContext): RoundRequest["progress"] {
  const progressToken = ctx.mcpReq._meta?.progressToken;
  let sent = -Infinity;
  return (progress, total, message) => {
    if (progressToken === undefined || !(progress > sent)) return;
    sent = progress;
    const params = { progressToken, progress, total, message };
    drop(ctx.mcpReq.notify({ method: PROGRESS, params }));
  };
}

/** A notification that cannot be sent any more harms nobody. */
function drop(sent: Promise<void>): void {
  sent.catch(() => undefined);
}
