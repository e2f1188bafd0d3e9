import type { MetaObject } from "./jsonrpc.js";

/**
 * Asks the client for the directories and files the server may work on. Specification: client/roots.
 *
 * @deprecated Since revision 2026-07-28 (SEP-2577): take paths as tool arguments or configuration.
 */
export interface ListRootsRequest {
  method: "roots/list";
  params?: { _meta?: MetaObject | undefined } | undefined;
}

/**
 * The directories and files the server may work on.
 *
 * @deprecated Since revision 2026-07-28 (SEP-2577).
 */
export type ListRootsResult = {
  roots: Root[];
};

/**
 * A directory or file. Its URI begins with `file://`.
 *
 * @deprecated Since revision 2026-07-28 (SEP-2577).
 */
export interface Root {
  uri: string;
  name?: string | undefined;
  _meta?: MetaObject | undefined;
}
