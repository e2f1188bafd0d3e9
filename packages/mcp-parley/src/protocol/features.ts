import type { ServerCapabilities } from "./capabilities.js";
import type {
  Annotations,
  BlobResourceContents,
  ContentBlock,
  Icon,
  Resource,
  Role,
  TextResourceContents,
} from "./content.js";
import type { MetaObject } from "./jsonrpc.js";

// Optional members may be given as undefined: JSON leaves them out.
// Results are as a handler may give them and as a client may read them from a server of any
// revision: what this revision's servers have to add (`resultType`, cache hints) is optional here.

/** Which software is speaking. Self-reported: for display and logs, never for decisions. */
export interface Implementation {
  name: string;
  version: string;
  title?: string | undefined;
  description?: string | undefined;
  websiteUrl?: string | undefined;
  icons?: Icon[] | undefined;
}

/** How long and by whom a result may be kept. Specification: server/utilities/caching. */
export interface CacheHints {
  /** Milliseconds for which the result is fresh, a whole number; 0 is stale at once. */
  ttlMs: number;
  /** Whether the result may serve other callers than the one that asked. */
  cacheScope: "public" | "private";
}

/** What every result may have. */
export type ResultBase = {
  _meta?: MetaObject | undefined;
  /** Absent from servers of earlier revisions, and then it means complete. */
  resultType?: "complete" | undefined;
};

/** What a list, discover or read result may have besides. */
export type CacheableResult = ResultBase & {
  ttlMs?: number | undefined;
  cacheScope?: "public" | "private" | undefined;
};

/** What a page of a list may have besides. */
export type PaginatedResult = CacheableResult & {
  /** Where the next page begins; absent on the last. */
  nextCursor?: string | undefined;
};

/** Hints about a tool, from a server that may or may not be trusted. */
export interface ToolAnnotations {
  title?: string | undefined;
  /** Default false. */
  readOnlyHint?: boolean | undefined;
  /** Default true. */
  destructiveHint?: boolean | undefined;
  /** Default false. */
  idempotentHint?: boolean | undefined;
  /** Default true. */
  openWorldHint?: boolean | undefined;
}

/** A tool as `tools/list` shows it. */
export interface Tool {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  /** JSON Schema of the arguments, 2020-12 unless `$schema` says otherwise. */
  inputSchema: { type: "object"; [keyword: string]: unknown };
  /** JSON Schema of `structuredContent`. */
  outputSchema?: { [keyword: string]: unknown } | undefined;
  annotations?: ToolAnnotations | undefined;
  icons?: Icon[] | undefined;
  _meta?: MetaObject | undefined;
}

/** An argument of a prompt. */
export interface PromptArgument {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  required?: boolean | undefined;
}

/** A prompt as `prompts/list` shows it. */
export interface Prompt {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  arguments?: PromptArgument[] | undefined;
  icons?: Icon[] | undefined;
  _meta?: MetaObject | undefined;
}

/** One message of a prompt. */
export interface PromptMessage {
  role: Role;
  content: ContentBlock;
}

/** A family of resources as `resources/templates/list` shows it. */
export interface ResourceTemplate {
  /** RFC 6570. */
  uriTemplate: string;
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  mimeType?: string | undefined;
  icons?: Icon[] | undefined;
  annotations?: Annotations | undefined;
  _meta?: MetaObject | undefined;
}

/** The result of `server/discover`. */
export type DiscoverResult = CacheableResult & {
  supportedVersions: string[];
  capabilities: ServerCapabilities;
  /** How to use the server, for a model to read. */
  instructions?: string | undefined;
};

/** The result of `tools/list`. */
export type ListToolsResult = PaginatedResult & { tools: Tool[] };

/** The result of `prompts/list`. */
export type ListPromptsResult = PaginatedResult & { prompts: Prompt[] };

/** The result of `resources/list`. */
export type ListResourcesResult = PaginatedResult & { resources: Resource[] };

/** The result of `resources/templates/list`. */
export type ListResourceTemplatesResult = PaginatedResult & {
  resourceTemplates: ResourceTemplate[];
};

/** The result of `tools/call`, once it is complete. */
export type CallToolResult = ResultBase & {
  content: ContentBlock[];
  /** Any JSON value; obeys the tool's `outputSchema` where it has one. */
  structuredContent?: unknown;
  /** True when the tool failed in a way the model should see. */
  isError?: boolean | undefined;
};

/** The result of `prompts/get`, once it is complete. */
export type GetPromptResult = ResultBase & {
  description?: string | undefined;
  messages: PromptMessage[];
};

/** The result of `resources/read`, once it is complete. */
export type ReadResourceResult = CacheableResult & {
  contents: (TextResourceContents | BlobResourceContents)[];
};

/** The result of `completion/complete`. */
export type CompleteResult = ResultBase & {
  completion: {
    /** At most 100. */
    values: string[];
    total?: number | undefined;
    hasMore?: boolean | undefined;
  };
};
