import type { AudioContent, ContentBlock, ImageContent, Role, TextContent } from "./content.js";
import type { Tool } from "./features.js";
import type { JSONObject } from "./json.js";
import type { MetaObject } from "./jsonrpc.js";

/**
 * Asks the client's model. Specification: client/sampling.
 *
 * @deprecated Since revision 2026-07-28 (SEP-2577): call a model provider directly.
 */
export interface CreateMessageRequest {
  method: "sampling/createMessage";
  params: CreateMessageRequestParams;
}

/**
 * What the client's model is asked.
 *
 * @deprecated Since revision 2026-07-28 (SEP-2577).
 */
export interface CreateMessageRequestParams {
  messages: SamplingMessage[];
  modelPreferences?: ModelPreferences | undefined;
  systemPrompt?: string | undefined;
  /** Default `none`; the others need the client's `sampling.context` and are on their way out. */
  includeContext?: "none" | "thisServer" | "allServers" | undefined;
  temperature?: number | undefined;
  /** The client may sample fewer tokens. */
  maxTokens: number;
  stopSequences?: string[] | undefined;
  /** Passed through to the model's provider. */
  metadata?: JSONObject | undefined;
  /** Needs the client's `sampling.tools`. */
  tools?: Tool[] | undefined;
  /** Needs the client's `sampling.tools`; default `auto`. */
  toolChoice?: ToolChoice | undefined;
}

/**
 * Whether the model may, must or must not use tools.
 *
 * @deprecated Since revision 2026-07-28 (SEP-2577).
 */
export interface ToolChoice {
  mode?: "auto" | "required" | "none" | undefined;
}

/**
 * Advice on which model to pick; priorities from 0 to 1.
 *
 * @deprecated Since revision 2026-07-28 (SEP-2577).
 */
export interface ModelPreferences {
  /** Parts of model names, the first that matches wins. */
  hints?: { name?: string | undefined }[] | undefined;
  costPriority?: number | undefined;
  speedPriority?: number | undefined;
  intelligencePriority?: number | undefined;
}

/**
 * One message of the conversation with the model.
 *
 * @deprecated Since revision 2026-07-28 (SEP-2577).
 */
export type SamplingMessage = {
  role: Role;
  content: SamplingContentBlock | SamplingContentBlock[];
  _meta?: MetaObject | undefined;
};

/**
 * What the model said.
 *
 * @deprecated Since revision 2026-07-28 (SEP-2577).
 */
export type CreateMessageResult = SamplingMessage & {
  model: string;
  /** `endTurn`, `stopSequence`, `maxTokens`, `toolUse`, or a provider's own word. */
  stopReason?: string | undefined;
};

/**
 * One piece of a sampling message.
 *
 * @deprecated Since revision 2026-07-28 (SEP-2577).
 */
export type SamplingContentBlock =
  TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent;

/**
 * The model wants a tool called.
 *
 * @deprecated Since revision 2026-07-28 (SEP-2577).
 */
export interface ToolUseContent {
  type: "tool_use";
  id: string;
  name: string;
  input: Record<string, unknown>;
  _meta?: MetaObject | undefined;
}

/**
 * What came of a tool the model wanted called.
 *
 * @deprecated Since revision 2026-07-28 (SEP-2577).
 */
export interface ToolResultContent {
  type: "tool_result";
  toolUseId: string;
  content: ContentBlock[];
  structuredContent?: unknown;
  isError?: boolean | undefined;
  _meta?: MetaObject | undefined;
}
