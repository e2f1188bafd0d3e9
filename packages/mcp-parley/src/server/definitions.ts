import type { Annotations, Icon } from "../protocol/content.js";
import type {
  CacheHints,
  CallToolResult,
  GetPromptResult,
  ReadResourceResult,
  ToolAnnotations,
} from "../protocol/features.js";
import type { Awaitable } from "../protocol/json.js";
import type { MetaObject } from "../protocol/jsonrpc.js";
import type { Call } from "../flow/call.js";
import type { OutputOf, StandardSchema } from "../flow/schema.js";
import type { FlowSettings } from "../flow/settings.js";
import type { Completers } from "./completion.js";
import type { Visible } from "./list.js";

/** What a client is shown of a tool, prompt or resource. */
interface Shown {
  /** A name for people. */
  readonly title?: string;
  /** What it is for, for people and models. */
  readonly description?: string;
  readonly icons?: readonly Icon[];
  readonly _meta?: MetaObject;
  /**
   * Who is shown it and may use it; to anyone else it does not exist. Asked for each request, so
   * it must be quick. Default: everyone.
   */
  readonly visible?: Visible;
  /**
   * The scopes a caller needs to use it, all of them; an empty list lets in every caller who is
   * known. Who lacks one is refused before anything runs, with an error of code 1005, over HTTP under
   * 403 with a challenge that names them, or 401 where the caller is anonymous. Default: none are
   * needed. Never `offline_access`, which no challenge may ask for. Specification:
   * basic/authorization, Scope Challenge Handling; Refresh Tokens.
   */
  readonly scopes?: readonly string[];
  /** Bounds of its flows, where they differ from the server's. */
  readonly flow?: Partial<FlowSettings>;
}

/** A tool. Specification: server/tools. */
export interface ToolDefinition<Input extends StandardSchema | undefined> extends Shown {
  /** What the tool takes. Arguments that break it come back to the model as the tool's error. */
  readonly inputSchema?: Input;
  /** What `structuredContent` obeys. A result that breaks it is an internal error. */
  readonly outputSchema?: StandardSchema;
  readonly annotations?: ToolAnnotations;
}

/** What a tool's handler gets: the arguments as its schema gives them, and the call. */
export type ToolHandler<Input extends StandardSchema | undefined> = (
  args: Input extends StandardSchema ? OutputOf<Input> : Record<string, unknown>,
  call: Call,
) => Awaitable<CallToolResult>;

/** A prompt. Specification: server/prompts. */
export interface PromptDefinition<Args extends StandardSchema | undefined> extends Shown {
  /** An object schema of texts: its fields are the prompt's arguments. */
  readonly argsSchema?: Args;
  /** Suggests values for its arguments. */
  readonly complete?: Completers;
}

/** What a prompt's handler gets. */
export type PromptHandler<Args extends StandardSchema | undefined> = (
  args: Args extends StandardSchema ? OutputOf<Args> : Record<string, string>,
  call: Call,
) => Awaitable<GetPromptResult>;

/** A resource or a family of them. Specification: server/resources. */
export interface ResourceDefinition extends Shown {
  readonly mimeType?: string;
  readonly annotations?: Annotations;
  /** Size in bytes, where it is known. */
  readonly size?: number;
  /** How long and by whom a read may be kept. Default: not at all, private. */
  readonly cache?: CacheHints;
}

/** A family of resources. */
export interface ResourceTemplateDefinition extends Omit<ResourceDefinition, "size"> {
  /** Suggests values for its variables. */
  readonly complete?: Completers;
}

/** What a resource's handler gives: contents, or the text of the one content. */
export type ResourceContents = ReadResourceResult | string;

/** What a resource's handler gets: its URI and the call. */
export type ResourceHandler = (uri: string, call: Call) => Awaitable<ResourceContents>;

/**
 * What the handler of a family gets: what the template's variables stand for, and the call. Values
 * are decoded and a client's own words: `..%2F` is `../` here, so check one before it becomes a path.
 */
export type ResourceTemplateHandler = (
  variables: Readonly<Record<string, string>>,
  call: Call,
  uri: string,
) => Awaitable<ResourceContents>;
