import type { CallToolResult } from "../protocol/features.js";
import { ParleyError } from "../protocol/errors.js";

/** A tool's result that is one text. */
export function text(text: string): CallToolResult {
  return { content: [{ type: "text", text }] };
}

/**
 * A tool's result that is a JSON value, with a text for clients that read no structure; by default
 * the value as JSON.
 */
export function structured(value: unknown, text?: string): CallToolResult {
  return {
    content: [{ type: "text", text: text ?? JSON.stringify(value) }],
    structuredContent: value,
  };
}

/**
 * Thrown by a handler, its message reaches the user and the model as the tool's own error, or as
 * the prompt's or resource's JSON-RPC error. The message of any other error stays in the server.
 */
export class UserError extends ParleyError<"user_error"> {
  constructor(message: string, options?: ErrorOptions) {
    super("user_error", message, options);
  }
}
