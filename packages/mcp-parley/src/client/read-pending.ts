import { type ClientCapabilities, readClientCapabilities } from "../protocol/capabilities.js";
import { ParleyError } from "../protocol/errors.js";
import {
  type InputRequests,
  type InputResponse,
  type InputResponses,
  readInputRequests,
} from "../protocol/input.js";
import { type JSONObject, isObject } from "../protocol/json.js";
import { type AskingMethod, isAskingMethod, nameOf } from "../protocol/methods.js";
import { checkAnswer } from "./check-answer.js";
import { AnswerInvalidError } from "./errors.js";
import type { PendingCall } from "./pending.js";

/**
 * Reads a pending call back from wherever it was kept. It is copied, then judged as anything else
 * from outside: `pending_invalid` for what this library did not make, or what was changed since.
 */
export function readPending<Method extends AskingMethod>(
  given: PendingCall<Method>,
): PendingCall<Method> {
  const value = copyOf(given);
  if (!isObject(value)) throw invalid("it is no object");
  if (value["version"] !== 1) throw invalid("its version is not 1");
  const { method, requestState, expiresAt } = value;
  if (typeof method !== "string" || !isAskingMethod(method)) {
    throw invalid("its method is none that may take several rounds");
  }
  const params = objectIn(value, "params");
  if (nameOf(method, params) === undefined) throw invalid("its params do not say what was called");
  if (Object.hasOwn(params, "inputResponses") || Object.hasOwn(params, "requestState")) {
    throw invalid("its params hold what only a retry says");
  }
  if (requestState !== undefined && typeof requestState !== "string") {
    throw invalid("its requestState is no text");
  }
  if (expiresAt !== undefined && typeof expiresAt !== "number") {
    throw invalid("its expiresAt is no number");
  }
  const inputRequests = requestsIn(value);
  return {
    version: 1,
    server: serverIn(value),
    method: method as Method,
    params: params as JSONObject,
    capabilities: capabilitiesIn(value),
    round: countIn(value, "round"),
    idle: countIn(value, "idle"),
    requestId: countIn(value, "requestId"),
    inputRequests,
    answers: answersIn(value, inputRequests),
    ...(requestState !== undefined && { requestState }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

/** A plain copy, free of whatever getters, prototypes or cycles the given value has. */
function copyOf(given: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(given));
  } catch (cause) {
    throw invalid("it is no JSON", cause);
  }
}

function requestsIn(value: Record<string, unknown>): InputRequests {
  const given = objectIn(value, "inputRequests");
  if (Object.keys(given).length === 0) return {};
  const read = readInputRequests(given);
  if (!read.ok) throw invalid(`its inputRequests: ${read.why}`);
  return Object.fromEntries(read.requests);
}

function answersIn(value: Record<string, unknown>, requests: InputRequests): InputResponses {
  const answers: [string, InputResponse][] = [];
  for (const [key, answer] of Object.entries(objectIn(value, "answers"))) {
    const request = Object.hasOwn(requests, key) ? requests[key] : undefined;
    if (request === undefined) throw invalid(`it answers "${key}", which was not asked`);
    try {
      answers.push([key, checkAnswer(key, request, answer)]);
    } catch (cause) {
      if (cause instanceof AnswerInvalidError) throw invalid(cause.message, cause);
      throw cause;
    }
  }
  return Object.fromEntries(answers);
}

function capabilitiesIn(value: Record<string, unknown>): ClientCapabilities {
  const read = readClientCapabilities(value["capabilities"]);
  if (!read.ok) throw invalid(`its capabilities${read.why}`);
  return read.capabilities;
}

function serverIn(value: Record<string, unknown>): PendingCall["server"] {
  const { address, name } = objectIn(value, "server");
  if (typeof address !== "string") throw invalid("its server has no address");
  return typeof name === "string" ? { address, name } : { address };
}

function objectIn(value: Record<string, unknown>, member: string): Record<string, unknown> {
  const object = value[member];
  if (!isObject(object)) throw invalid(`its ${member} is no object`);
  return object;
}

function countIn(value: Record<string, unknown>, member: string): number {
  const count = value[member];
  if (!Number.isSafeInteger(count) || (count as number) < 0) {
    throw invalid(`its ${member} is no whole number`);
  }
  return count as number;
}

function invalid(why: string, cause?: unknown): ParleyError {
  return new ParleyError(
    "pending_invalid",
    `This is not a pending call as it was given out: ${why}. Keep the whole of it as JSON, and begin the call anew.`,
    { cause },
  );
}
