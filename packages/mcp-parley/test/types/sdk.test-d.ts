import { McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import type { CallToolResult, Variables } from "@modelcontextprotocol/server";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import { form, text } from "../../src/entry/index.js";
import type { Call } from "../../src/entry/index.js";
import { createParley } from "../../src/entry/sdk.js";

const parley = createParley();
const server = new McpServer(
  { name: "server", version: "1" },
  { requestState: parley.requestState },
);
const branch = z.object({ branch: z.string(), force: z.boolean().default(false) });

test("a tool's handler gets what its schema gives, and the call", () => {
  server.registerTool(
    "delete",
    { inputSchema: branch },
    parley.flow("delete", async (args, call) => {
      expectTypeOf(args).toEqualTypeOf<{ branch: string; force: boolean }>();
      expectTypeOf(call).toEqualTypeOf<Call>();
      const { reason } = await call.ask("why", form("Why?", z.object({ reason: z.string() })));
      expectTypeOf(reason).toBeString();
      return text(`Deleted ${args.branch}: ${reason}`);
    }),
  );
});

test("a literal result is the SDK's own", () => {
  server.registerTool(
    "literal",
    { inputSchema: branch, outputSchema: z.object({ n: z.number() }) },
    parley.flow("literal", ({ branch }) => ({
      content: [{ type: "text", text: branch }],
      structuredContent: { n: 1 },
    })),
  );
  server.registerTool(
    "typed",
    { inputSchema: branch },
    parley.flow("typed", async (): Promise<CallToolResult> => ({ content: [] })),
  );
});

test("a tool without a schema gets the call alone, as the SDK has it", () => {
  server.registerTool(
    "ping",
    { description: "no arguments" },
    parley.flow("ping", async (call) => {
      expectTypeOf(call).toEqualTypeOf<Call>();
      await call.ask("sure", form("Sure?"));
      return { content: [{ type: "text", text: "pong" }] };
    }),
  );
});

test("prompts and resources have theirs", () => {
  server.registerPrompt(
    "review",
    { argsSchema: z.object({ code: z.string() }) },
    parley.flow("review", async ({ code }, call) => {
      expectTypeOf(code).toBeString();
      await call.ask("sure", form("Sure?"));
      return { messages: [{ role: "user", content: { type: "text", text: code } }] };
    }),
  );
  server.registerPrompt(
    "plain",
    {},
    parley.flow("plain", async (call) => {
      await call.ask("sure", form("Sure?"));
      return { messages: [] };
    }),
  );
  server.registerResource(
    "secret",
    "test://secret",
    {},
    parley.flow("secret", async (uri, call) => {
      expectTypeOf(uri).toEqualTypeOf<URL>();
      await call.ask("sure", form("Sure?"));
      return { contents: [{ uri: uri.href, text: "s" }] };
    }),
  );
  server.registerResource(
    "family",
    new ResourceTemplate("test://family/{id}", { list: undefined }),
    {},
    parley.flow("family", async (uri, variables, call) => {
      expectTypeOf(variables).toEqualTypeOf<Variables>();
      expectTypeOf(call).toEqualTypeOf<Call>();
      return { contents: [{ uri: uri.href, text: "s" }] };
    }),
  );
});

test("what is no result of that kind does not compile", () => {
  // @ts-expect-error -- a tool gives content
  server.registerTool(
    "wrong",
    { inputSchema: branch },
    parley.flow("wrong", async () => ({ messages: [] })),
  );
  // @ts-expect-error -- a result is an object
  parley.flow("wrong", async (_args: unknown, _call: Call) => "text");
});
