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

/** What a message turned out to be. `params` of a request or notification is as it was sent, or {}. */
export type Message =
  | {
      kind: "request";
      id: RequestId;
      method: string;
      params: Record<string, unknown>;
    }
  | { kind: "notification"; method: string; params: Record<string, unknown> }
  | {
      kind: "response";
      id: RequestId | undefined;
      response: Record<string, unknown>;
    }
  | { kind: "invalid"; id: RequestId | undefined; why: string };
