import { firstFault, samplingContentFault } from "./content-fault.js";
import { isObject, own } from "./json.js";

// What is wrong with a sampling request or result, in words that follow its name; undefined where
// nothing is. Specification: client/sampling, Data Types and Message Content Constraints.

/** What is wrong with the params of a `sampling/createMessage`. */
export function createMessageFault(params: unknown): string | undefined {
  if (!isObject(params)) return "has no params";
  const messages = own(params, "messages");
  if (!Array.isArray(messages)) return "has no messages";
  if (!Number.isFinite(own(params, "maxTokens"))) return "has no maxTokens";
  const odd = OPTIONAL.find(([member, isSound]) => {
    const value = own(params, member);
    return value !== undefined && !isSound(value);
  });
  if (odd !== undefined) return `has a malformed ${odd[0]}`;
  const fault = firstFault(messages, messageFault) ?? toolUseFault(messages);
  return fault === undefined ? undefined : `has messages${fault}`;
}

/** What is wrong with the result of a `sampling/createMessage`. */
export function createMessageResultFault(result: unknown): string | undefined {
  const fault = messageFault(result);
  if (fault !== undefined || !isObject(result)) return fault;
  if (typeof own(result, "model") !== "string") return "has no model";
  const stopReason = own(result, "stopReason");
  if (stopReason !== undefined && typeof stopReason !== "string")
    return "has a malformed stopReason";
  return undefined;
}

function messageFault(message: unknown): string | undefined {
  if (!isObject(message)) return "is not an object";
  const role = own(message, "role");
  if (role !== "user" && role !== "assistant") return "has no role";
  const content = own(message, "content");
  const fault = Array.isArray(content)
    ? firstFault(content, samplingContentFault)
    : samplingContentFault(content);
  return fault === undefined ? undefined : `has content that ${fault}`;
}

/** Tool uses are answered at once, completely, and by nothing but tool results. */
function toolUseFault(messages: readonly unknown[]): string | undefined {
  let open: readonly unknown[] = [];
  for (const [at, message] of messages.entries()) {
    const blocks = blocksOf(message);
    const answered = idsOf(blocks, "tool_result", "toolUseId");
    if (answered.length > 0 || open.length > 0) {
      if (answered.length < blocks.length || own(message as object, "role") !== "user") {
        return `[${at}] mixes tool results with other content`;
      }
      if (new Set([...open, ...answered]).size !== open.length || answered.length !== open.length) {
        return `[${at}] does not answer the tool uses before it`;
      }
    }
    open = idsOf(blocks, "tool_use", "id");
  }
  return open.length === 0 ? undefined : " that end in a tool use nobody answers";
}

function blocksOf(message: unknown): readonly unknown[] {
  const content = isObject(message) ? own(message, "content") : undefined;
  return Array.isArray(content) ? content : [content];
}

function idsOf(blocks: readonly unknown[], type: string, member: string): unknown[] {
  return blocks
    .filter(isObject)
    .flatMap((block) => (own(block, "type") === type ? [own(block, member)] : []));
}

const isText = (value: unknown): boolean => typeof value === "string";

const OPTIONAL: readonly (readonly [string, (value: unknown) => boolean])[] = [
  ["systemPrompt", isText],
  ["temperature", Number.isFinite],
  ["stopSequences", (value) => Array.isArray(value) && value.every(isText)],
  ["includeContext", (value) => ["none", "thisServer", "allServers"].includes(value as string)],
  ["modelPreferences", isObject],
  ["metadata", isObject],
  ["tools", (value) => Array.isArray(value) && value.every(isTool)],
  ["toolChoice", (value) => isObject(value) && MODES.has(own(value, "mode"))],
];

const MODES: ReadonlySet<unknown> = new Set([undefined, "auto", "required", "none"]);

function isTool(tool: unknown): boolean {
  if (!isObject(tool) || typeof own(tool, "name") !== "string") return false;
  const inputSchema = own(tool, "inputSchema");
  return isObject(inputSchema) && own(inputSchema, "type") === "object";
}
