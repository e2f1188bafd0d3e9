import type { JSONValue } from "./json.js";
import { isObject, own, stringText } from "./json.js";

/** The id of a request: a string or a safe integer, never null. Specification: basic/index, Requests. */
export type RequestId = string | number;

/** A token by which progress notifications find the request they are about. */
export type ProgressToken = string | number;

/** Metadata under reserved and prefixed keys. Specification: basic/index, `_meta`. */
export type MetaObject = Record<string, unknown>;

/** A request as it stands on the wire. */
export interface JSONRPCRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: string;
  params?: Record<string, unknown> | undefined;
}

/** A notification as it stands on the wire: nobody answers it. */
export interface JSONRPCNotification {
  jsonrpc: "2.0";
  method: string;
  params?: Record<string, unknown> | undefined;
}

/** What went wrong, in a {@link JSONRPCErrorResponse}. */
export interface ErrorObject {
  code: number;
  message: string;
  data?: unknown;
}

/** A response that carries a result. */
export interface JSONRPCResultResponse {
  jsonrpc: "2.0";
  id: RequestId;
  result: Record<string, unknown>;
}

/** A response that carries an error; without an id where the request's could not be read. */
export interface JSONRPCErrorResponse {
  jsonrpc: "2.0";
  id?: RequestId | undefined;
  error: ErrorObject;
}

/** A response. */
export type JSONRPCResponse = JSONRPCResultResponse | JSONRPCErrorResponse;

/** What a message turned out to be. Missing `params` read as {}. */
export type Message =
  | { kind: "request"; id: RequestId; method: string; params: Record<string, unknown> }
  | { kind: "notification"; method: string; params: Record<string, unknown> }
  | { kind: "response"; id: RequestId | undefined; response: Record<string, unknown> }
  | { kind: "invalid"; id: RequestId | undefined; why: string };

/** True for a string or a safe integer. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || Number.isSafeInteger(value);
}

/**
 * Judges the shape of one parsed message; an invalid one is `-32600` to a server, under its `id`
 * where it has one that can be used. Batches are invalid in this revision. What a response holds
 * is for `classify` to judge. Never throws.
 */
export function readMessage(value: unknown): Message {
  if (!isObject(value)) {
    return invalid(undefined, Array.isArray(value) ? "A batch is not allowed" : "Not an object");
  }
  const id = own(value, "id");
  const usable = isRequestId(id) ? id : undefined;
  if (own(value, "jsonrpc") !== "2.0") return invalid(usable, 'jsonrpc is not "2.0"');

  const isResponse = Object.hasOwn(value, "result") || Object.hasOwn(value, "error");
  if (!Object.hasOwn(value, "method")) {
    if (!isResponse) return invalid(usable, "There is no method");
    // an error whose request could not be read has no id; servers of earlier revisions say null
    if (usable === undefined && (Object.hasOwn(value, "result") || (id ?? undefined) !== undefined))
      return invalid(undefined, "The id is neither a string nor a safe integer");
    return { kind: "response", id: usable, response: value };
  }
  if (isResponse) return invalid(usable, "It is a request and a response at once");

  const method = own(value, "method");
  if (typeof method !== "string") return invalid(usable, "The method is not a string");
  const params = Object.hasOwn(value, "params") ? own(value, "params") : {};
  if (!isObject(params)) return invalid(usable, "The params are not an object");
  if (!Object.hasOwn(value, "id")) return { kind: "notification", method, params };
  if (usable === undefined) {
    return invalid(undefined, "The id is neither a string nor a safe integer");
  }
  return { kind: "request", id: usable, method, params };
}

function invalid(id: RequestId | undefined, why: string): Message {
  return { kind: "invalid", id, why };
}

/** A request as one line of text. `params` is JSON text. */
export function requestText(id: RequestId, method: string, params: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":${stringText(method)},"params":${params}}`;
}

/** A notification as one line of text. `params` is JSON text. */
export function notificationText(method: string, params: string): string {
  return `{"jsonrpc":"2.0","method":${stringText(method)},"params":${params}}`;
}

/** A result response as one line of text. `result` is JSON text. */
export function resultText(id: RequestId, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}

/** An error response as one line of text; without an id where the request's could not be read. */
export function errorText(
  id: RequestId | undefined,
  code: number,
  message: string,
  data?: JSONValue,
): string {
  const start =
    id === undefined ? '{"jsonrpc":"2.0"' : `{"jsonrpc":"2.0","id":${JSON.stringify(id)}`;
  return `${start},"error":${JSON.stringify({ code, message, data })}}`;
}
