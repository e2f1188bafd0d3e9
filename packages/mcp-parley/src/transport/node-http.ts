import type { IncomingMessage, ServerResponse } from "node:http";
import { chain } from "../protocol/json.js";
import type { Dispatcher } from "../server/context.js";
import type { Principal } from "../state/principal.js";
import { refuse } from "./http-answer.js";
import { checkHead, tooLarge } from "./http-head.js";
import { type Received, receive, receiveGiven } from "./http-message.js";
import { type HttpOptions, httpPolicy } from "./http-policy.js";
import { identify } from "./identify.js";
import { readBody } from "./node-body.js";
import { NodeExchange, NodeHead, sendAnswer } from "./node-exchange.js";
import { type Timers, systemTimers } from "./timers.js";

/** Settings of {@link toNodeHandler}. */
export interface NodeHandlerOptions extends HttpOptions {
  /**
   * Where the body is found. `stream`, the default: this handler reads it, and nothing may have read
   * it before. `parsed`: a framework's body parser ran first and left it in `request.body`, as
   * `express.json()` does. It is then written out and parsed a second time to hold it to the same
   * limits; what the parser has already lost, such as a member given twice, stays lost. Mount the
   * handler before the parser where you can.
   */
  readonly body?: "stream" | "parsed";
}

/** A listener for requests of `node:http` or `node:https`, and a handler for Express and its like. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Serves `server` over HTTP by answering requests of `node:http` directly. It answers every path it
 * is given and keeps nothing between requests. A setting that can't be meant is a `usage` error.
 * Specification: basic/transports/streamable-http.
 */
export function toNodeHandler(server: Dispatcher, options: NodeHandlerOptions = {}): NodeHandler {
  return nodeHandler(server, options, systemTimers);
}

/** {@link toNodeHandler} with timers of the caller's. */
export function nodeHandler(
  server: Dispatcher,
  options: NodeHandlerOptions,
  timers: Timers,
): NodeHandler {
  const policy = httpPolicy(options);
  const isParsed = options.body === "parsed";

  return (request, response) => {
    const head = new NodeHead(request);
    if (head.isAmbiguous) {
      sendAnswer(response, AMBIGUOUS, undefined);
      return;
    }
    const { answer, cors, accepted } = checkHead(policy, head);
    if (answer !== undefined) {
      sendAnswer(response, answer, cors);
      return;
    }

    const converse = (received: Received, principal: Principal | undefined): void => {
      if (received.answer !== undefined) {
        sendAnswer(response, received.answer, cors);
        return;
      }
      const { headers } = head;
      const start = { policy, principal, accepted, cors, headers, timers };
      new NodeExchange(start, response).run(server, received.message, received.id);
    };

    void chain(identify(policy, head), (identity) => {
      if (identity.answer !== undefined) {
        sendAnswer(response, identity.answer, cors);
        return;
      }
      const { principal } = identity;
      if (isParsed) {
        const { body } = request as { body?: unknown };
        converse(receiveGiven(body, head, policy), principal);
      } else if (request.readableEnded) {
        policy.log.error(ALREADY_READ);
        sendAnswer(response, BODY_GONE, cors);
      } else {
        readBody(request, policy.maxBodyBytes, {
          complete: (bytes) => converse(receive(bytes, head), principal),
          tooLarge: () => sendAnswer(response, tooLarge(policy), cors),
        });
      }
    });
  };
}

const AMBIGUOUS = refuse(400, "A header that may occur once occurs twice");

const ALREADY_READ =
  'Something read the body before toNodeHandler did: mount it before the body parser, or set body: "parsed"';

const BODY_GONE = refuse(500, "The body was read before it got here");
