import { readInputRequests } from "./input.js";
import type { InputRequests } from "./input.js";
import type { JSONValue } from "./json.js";
import { isObject, own, quoted } from "./json.js";
import { isAskingMethod } from "./methods.js";

type Result = Record<string, unknown>;

/**
 * What a response came to. Which kind it is depends on nothing but the response, the method it
 * answers and what the client advertised.
 */
export type Classified =
  | { kind: "complete"; result: Result }
  | {
      kind: "input_required";
      /** Undefined where the server only wants the request sent again. Forms as they can be shown. */
      inputRequests: InputRequests | undefined;
      requestState: string | undefined;
      result: Result;
    }
  | { kind: "extension"; resultType: string; result: Result }
  | { kind: "error"; code: number; message: string; data: JSONValue | undefined }
  | { kind: "invalid"; why: string };

export interface ClassifyOptions {
  /** The method of the request that is answered. */
  readonly method: string;
  /** The `resultType`s of the extensions that the client advertised; default none. */
  readonly extensions?: ReadonlySet<string> | undefined;
}

/**
 * Says what a JSON-RPC response is: error or result first, then the result by its `resultType`.
 *
 * - A missing `resultType` is complete, as servers of earlier revisions leave it out.
 * - `input_required` counts on the three requests that may be answered so, and only well formed:
 *   at least one of a request and a state, and every request one that a server may make.
 * - An extension's type counts if this client advertised it. Any other type is invalid.
 *
 * Never throws, whatever the value. Specification: basic/index, Responses; basic/patterns/mrtr.
 */
export function classify(response: unknown, options: ClassifyOptions): Classified {
  if (!isObject(response)) return invalid("It is not an object");
  const hasError = Object.hasOwn(response, "error");
  if (hasError === Object.hasOwn(response, "result")) {
    return invalid(hasError ? "It is an error and a result at once" : "It has no result");
  }
  if (hasError) return classifyError(own(response, "error"));

  const result = own(response, "result");
  if (!isObject(result)) return invalid("The result is not an object");
  if (!Object.hasOwn(result, "resultType")) return { kind: "complete", result };
  const resultType = own(result, "resultType");
  if (resultType === "complete") return { kind: "complete", result };
  if (resultType === "input_required") return classifyInterim(result, options.method);
  if (typeof resultType === "string" && options.extensions?.has(resultType)) {
    return { kind: "extension", resultType, result };
  }
  return invalid("The resultType is none that this client knows");
}

function classifyError(error: unknown): Classified {
  if (!isObject(error)) return invalid("The error is not an object");
  const code = own(error, "code");
  const message = own(error, "message");
  if (!isInteger(code)) return invalid("The error's code is not an integer");
  if (typeof message !== "string") return invalid("The error has no message");
  return { kind: "error", code, message, data: own(error, "data") as JSONValue | undefined };
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function classifyInterim(result: Result, method: string): Classified {
  if (!isAskingMethod(method)) return invalid("This method cannot ask for input");
  const requestState = own(result, "requestState");
  if (Object.hasOwn(result, "requestState") && typeof requestState !== "string") {
    return invalid("The requestState is not a string");
  }
  const read = Object.hasOwn(result, "inputRequests")
    ? readInputRequests(own(result, "inputRequests"))
    : undefined;
  if (read?.ok === false) {
    const place = read.key === undefined ? "" : ` under ${quoted(read.key)}`;
    return invalid(`What inputRequests holds${place} ${read.why}`);
  }
  const asksNothing = read === undefined || read.requests.size === 0;
  if (asksNothing && requestState === undefined) {
    return invalid("It asks for input, but has neither a request nor a state");
  }
  return {
    kind: "input_required",
    inputRequests: asksNothing ? undefined : Object.fromEntries(read.requests),
    requestState: requestState as string | undefined,
    result,
  };
}

function invalid(why: string): Classified {
  return { kind: "invalid", why };
}
