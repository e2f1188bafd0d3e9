import type { ElicitRequest, ElicitResult } from "./elicitation.js";
import type { MetaObject } from "./jsonrpc.js";
import type { ListRootsRequest, ListRootsResult } from "./roots.js";
import type { CreateMessageRequest, CreateMessageResult } from "./sampling.js";

/** Something a server needs before it can go on. Specification: basic/patterns/mrtr. */
export type InputRequest = ElicitRequest | CreateMessageRequest | ListRootsRequest;

/** What a client has found out for it. */
export type InputResponse = ElicitResult | CreateMessageResult | ListRootsResult;

/** What a server needs, each under a key of its own. */
export interface InputRequests {
  [key: string]: InputRequest;
}

/** What a client has found out, under the same keys. */
export interface InputResponses {
  [key: string]: InputResponse;
}

/** The result of a request that needs more input. At least one of the two members is there. */
export type InputRequiredResult = {
  resultType: "input_required";
  inputRequests?: InputRequests | undefined;
  /** Opaque to the client, which sends it back as it is. */
  requestState?: string | undefined;
  _meta?: MetaObject | undefined;
};
