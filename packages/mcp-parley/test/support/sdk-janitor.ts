import { McpServer, ProtocolError, ResourceTemplate } from "@modelcontextprotocol/server";
import { z } from "zod";
import { NotDone, RpcError, UserError, form, sample, text } from "../../src/entry/index.js";
import type { ParleyEvent } from "../../src/entry/index.js";
import { createParley } from "../../src/entry/sdk.js";
import type { Parley, SdkOptions } from "../../src/entry/sdk.js";
import { INSTRUMENTS } from "../../src/flow/instruments.js";
import type { Clock } from "../../src/ledger/clock.js";
import { newKeyText } from "../../src/state/key-text.js";

/** What a server of the SDK's with flows did and noticed. */
export interface SdkWorld {
  readonly parley: Parley;
  readonly effects: string[];
  readonly events: ParleyEvent[];
  /** What was logged as an error, and why. */
  readonly errors: unknown[];
  readonly warnings: string[];
  /** What the SDK told the server's `onerror`. */
  readonly onerror: string[];
  make(): McpServer;
}

const branch = z.object({ branch: z.string() });
const reason = z.object({ reason: z.string().max(80) });

/** A server of the SDK's whose handlers are flows of one Parley. */
export function sdkWorld(
  given: SdkOptions = {},
  { hooked = true, clock }: { hooked?: boolean; clock?: Clock } = {},
): SdkWorld {
  const effects: string[] = [];
  const events: ParleyEvent[] = [];
  const errors: unknown[] = [];
  const warnings: string[] = [];
  const onerror: string[] = [];
  const options: SdkOptions = {
    keys: newKeyText(),
    log: {
      warn: (message) => void warnings.push(message),
      error: (message, cause) => void errors.push(message, cause),
    },
    onEvent: (event) => events.push(event),
    ...(clock === undefined ? {} : { [INSTRUMENTS]: { clock } }),
    ...given,
  };
  const parley = createParley(options);
  const make = (): McpServer => {
    const server = new McpServer(
      { name: "janitor", version: "1" },
      { capabilities: { logging: {} }, ...(hooked ? { requestState: parley.requestState } : {}) },
    );
    server.server.onerror = (error) => void onerror.push(error.message);
    register(server, parley, effects);
    return server;
  };
  return { parley, effects, events, errors, warnings, onerror, make };
}

function register(server: McpServer, parley: Parley, effects: string[]): void {
  for (const name of ["delete_branch", "keep_branch"]) {
    server.registerTool(
      name,
      { inputSchema: branch },
      parley.flow(name, async ({ branch }, call) => {
        await call.ask("sure", form(`Delete ${branch}?`));
        const why = await call.ask("why", form("Why?", reason));
        await call.once("delete", () => void effects.push(`${name} ${branch}: ${why.reason}`));
        return text(`Deleted ${branch}.`);
      }),
    );
  }
  server.registerTool(
    "fails",
    { inputSchema: z.object({ how: z.string() }) },
    parley.flow("fails", ({ how }) => {
      if (how === "user") throw new UserError("That branch is protected.");
      if (how === "rpc") throw new RpcError(-32010, "Told as it is");
      if (how === "sdk") throw new ProtocolError(-32011, "Told as the SDK has it");
      if (how === "not done") throw new NotDone("Nothing happened.");
      if (how === "input") return { resultType: "input_required", requestState: "own" } as never;
      if (how === "nothing") return undefined as never;
      throw new Error("password=hunter2");
    }),
  );
  server.registerTool(
    "model",
    {},
    parley.flow("model", async (call) => {
      call.progress(1, 2, "thinking");
      call.progress(1);
      call.progress(2, 2);
      call.log("info", { about: "the model" });
      const message = { role: "user" as const, content: { type: "text" as const, text: "Hi" } };
      const { model } = await call.ask("ask", sample({ messages: [message], maxTokens: 5 }));
      return text(`${model} answered ${call.principal?.subject ?? "nobody"}`);
    }),
  );
  server.registerTool(
    "dated",
    { inputSchema: z.object({ on: z.string().transform((on) => new Date(on)), id: z.string() }) },
    parley.flow("dated", async ({ id }, call) => {
      await call.ask("sure", form(`Sure of ${id}?`));
      return text(id);
    }),
  );
  server.registerTool(
    "salient",
    { inputSchema: z.object({ on: z.string().transform((on) => new Date(on)), id: z.string() }) },
    parley.flow(
      "salient",
      async ({ on, id }, call) => {
        await call.ask("sure", form(`Sure of ${id}?`));
        return text(`${id} ${String(on.getUTCFullYear())}`);
      },
      { salient: ["id"] },
    ),
  );
  server.registerPrompt(
    "review",
    { argsSchema: z.object({ branch: z.string() }) },
    parley.flow("review", async ({ branch }, call) => {
      await call.ask("sure", form(`Review ${branch}?`));
      if (branch === "broken") throw new Error("password=hunter2");
      if (branch === "sdk") throw new ProtocolError(-32011, "Told as the SDK has it", { a: 1 });
      return { messages: [{ role: "user", content: { type: "text", text: branch } }] };
    }),
  );
  server.registerResource(
    "file",
    new ResourceTemplate("test://file/{name}", { list: undefined }),
    { cacheHint: { ttlMs: 60_000, cacheScope: "public" } },
    parley.flow("file", async (uri, { name }, call) => {
      if (name !== "open") await call.ask("sure", form(`Show ${String(name)}?`));
      return { contents: [{ uri: uri.href, text: String(name) }] };
    }),
  );
}
