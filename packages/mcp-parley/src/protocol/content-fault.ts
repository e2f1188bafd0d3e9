import { isObject, own } from "./json.js";

// What is wrong with content from the other side, in words that follow its place; undefined where
// nothing is. Members that the protocol does not know are left alone.

/** What is wrong with a block of a prompt, a tool's result or a tool result in sampling. */
export function contentFault(block: unknown): string | undefined {
  if (!isObject(block)) return "is not an object";
  switch (own(block, "type")) {
    case "text":
      return textMissing(block, "text");
    case "image":
    case "audio":
      return textMissing(block, "data", "mimeType");
    case "resource_link":
      return textMissing(block, "uri", "name");
    case "resource":
      return resourceFault(own(block, "resource"));
    default:
      return "is of no known type";
  }
}

/** What is wrong with a block of a sampling message. */
export function samplingContentFault(block: unknown): string | undefined {
  if (!isObject(block)) return "is not an object";
  switch (own(block, "type")) {
    case "text":
    case "image":
    case "audio":
      return contentFault(block);
    case "tool_use":
      if (!isObject(own(block, "input"))) return "has no input";
      return textMissing(block, "id", "name");
    case "tool_result": {
      const content = own(block, "content");
      if (!Array.isArray(content)) return "has no content";
      return textMissing(block, "toolUseId") ?? firstFault(content, contentFault);
    }
    default:
      return "is of no known type";
  }
}

function resourceFault(resource: unknown): string | undefined {
  if (!isObject(resource)) return "has no resource";
  return textMissing(resource, "uri", Object.hasOwn(resource, "blob") ? "blob" : "text");
}

function textMissing(block: object, ...members: string[]): string | undefined {
  const missing = members.find((member) => typeof own(block, member) !== "string");
  return missing === undefined ? undefined : `has no ${missing}`;
}

/** The first fault in a list, with where it is. */
export function firstFault(
  entries: readonly unknown[],
  faultOf: (entry: unknown) => string | undefined,
): string | undefined {
  for (const [at, entry] of entries.entries()) {
    const fault = faultOf(entry);
    if (fault !== undefined) return `[${at}] ${fault}`;
  }
  return undefined;
}
