import type { JSONObject } from "./json.js";

// Optional members may be given as undefined: JSON leaves them out.

/** What a client can do, said anew on each request. Specification: basic/versioning. */
export interface ClientCapabilities {
  experimental?: { [name: string]: JSONObject } | undefined;
  /** Can list roots. Deprecated by revision 2026-07-28 (SEP-2577). */
  roots?: Record<string, unknown> | undefined;
  /** Can ask a model. Deprecated by revision 2026-07-28 (SEP-2577). */
  sampling?: { context?: JSONObject | undefined; tools?: JSONObject | undefined } | undefined;
  /** Can ask the user; empty means by form only. */
  elicitation?: { form?: JSONObject | undefined; url?: JSONObject | undefined } | undefined;
  extensions?: { [identifier: string]: JSONObject } | undefined;
}

/** What a server can do. Specification: server/discover. */
export interface ServerCapabilities {
  experimental?: { [name: string]: JSONObject } | undefined;
  /** Sends log messages. Deprecated by revision 2026-07-28 (SEP-2577). */
  logging?: JSONObject | undefined;
  completions?: JSONObject | undefined;
  prompts?: { listChanged?: boolean | undefined } | undefined;
  resources?: { subscribe?: boolean | undefined; listChanged?: boolean | undefined } | undefined;
  tools?: { listChanged?: boolean | undefined } | undefined;
  extensions?: { [identifier: string]: JSONObject } | undefined;
}
