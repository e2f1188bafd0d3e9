import type { CallToolResult, GetPromptResult, ReadResourceResult } from "../protocol/features.js";
import type { AskingMethod, PROMPTS_GET, RESOURCES_READ, TOOLS_CALL } from "../protocol/methods.js";

/** Metadata of the caller's own, such as a trace context. The protocol's members are the client's. */
export type CallerMeta = Readonly<Record<string, unknown>>;

/** Which tool to call, and with what. */
export interface ToolCall {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
  readonly _meta?: CallerMeta | undefined;
}

/** Which prompt to get, and with what. */
export interface PromptCall {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, string>> | undefined;
  readonly _meta?: CallerMeta | undefined;
}

/** Which resource to read. */
export interface ResourceCall {
  readonly uri: string;
  readonly _meta?: CallerMeta | undefined;
}

/** What to complete: an argument of a prompt, or a variable of a resource template. */
export interface CompleteCall {
  readonly ref:
    | { readonly type: "ref/prompt"; readonly name: string }
    /** `uri` is a template, or the URI of a resource. */
    | { readonly type: "ref/resource"; readonly uri: string };
  /** Which one it is, and what has been typed of it. */
  readonly argument: { readonly name: string; readonly value: string };
  /** The other arguments, as far as they are known. */
  readonly context?:
    { readonly arguments?: Readonly<Record<string, string>> | undefined } | undefined;
  readonly _meta?: CallerMeta | undefined;
}

/** The requests that may take several rounds: what each is called with and what it comes to. */
export interface Calls {
  [TOOLS_CALL]: { params: ToolCall; result: CallToolResult };
  [PROMPTS_GET]: { params: PromptCall; result: GetPromptResult };
  [RESOURCES_READ]: { params: ResourceCall; result: ReadResourceResult };
}

/** What a request is called with. */
export type ParamsOf<Method extends AskingMethod> = Calls[Method]["params"];

/** What a request comes to, once it is complete. */
export type ResultOf<Method extends AskingMethod> = Calls[Method]["result"];
