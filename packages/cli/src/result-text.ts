import type { CallToolResult, ContentBlock } from "mcp-parley/client";
import { jsonText, manyLines, oneLine } from "./plain.js";

/** A tool's result for a person to read. */
export function resultText({ content, structuredContent }: CallToolResult): string {
  if (content.length === 0 && structuredContent !== undefined) return jsonText(structuredContent);
  return content
    .map((block: unknown) => (hasType(block) ? blockText(block) : jsonText(block)))
    .join("\n");
}

function hasType(block: unknown): block is ContentBlock {
  return typeof block === "object" && block !== null && "type" in block;
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return manyLines(block.text, Infinity);
    case "image":
    case "audio":
      return `[${block.type}, ${oneLine(block.mimeType, 60)}, ${bytes(block.data)}]`;
    case "resource_link":
      return `[resource ${oneLine(block.uri)}: ${oneLine(block.title ?? block.name)}]`;
    case "resource": {
      const { uri, text, blob }: Partial<Record<string, unknown>> = { ...block.resource };
      return text === undefined
        ? `[resource ${oneLine(uri)}, ${bytes(blob)}]`
        : manyLines(text, Infinity);
    }
    default:
      // A kind of content this command does not know.
      return jsonText(block);
  }
}

/** How much base64 stands for. */
function bytes(base64: unknown): string {
  if (typeof base64 !== "string") return "no data";
  const count = Math.floor((base64.replace(/=+$/, "").length * 3) / 4);
  return count < 10_000 ? `${count} bytes` : `${Math.round(count / 1_000)} kB`;
}
