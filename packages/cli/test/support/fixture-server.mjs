// A server with a tool for everything the command has to cope with. Over standard streams, or with
// `--http` on a free port, whose URL is the first line it prints.
import { UserError, createMcpServer, form, link, text } from "mcp-parley";
import { serve } from "mcp-parley/node";
import { serveStdio } from "mcp-parley/stdio";
import { z } from "zod";

export const HOSTILE = "\u001b[2J\u001b]0;owned\u0007\u009b31m\u202eevil\u200b\u2066\ufeff";

const server = createMcpServer({ name: "fixture", version: "1.2.3" }, { log: false });

server.tool(
  "add",
  {
    title: "Add two numbers",
    description: "Adds a and b",
    inputSchema: z.object({
      a: z.number().describe("the first"),
      b: z.number().default(1),
      round: z.boolean().optional(),
    }),
  },
  ({ a, b, round }) => text(String(round ? Math.round(a + b) : a + b)),
);

server.tool(
  "echo",
  {
    description: "Gives its arguments back",
    inputSchema: z.object({
      words: z.array(z.string()).optional(),
      size: z.enum(["small", "large"]).optional(),
      filter: z.object({ year: z.int() }).optional(),
      id: z.union([z.string(), z.number()]).optional(),
    }),
  },
  (args) => text(JSON.stringify(args)),
);

server.tool(
  "delete_branch",
  {
    description: "Deletes a branch once the user confirms",
    inputSchema: z.object({ branch: z.string() }),
  },
  async ({ branch }, call) => {
    await call.ask("sure", form(`Delete ${branch}?`));
    const { reason } = await call.ask(
      "why",
      form("Why?", z.object({ reason: z.string().min(2).max(80) })),
    );
    return text(`Deleted ${branch}: ${reason}`);
  },
);

const ORDER = z.object({
  name: z.string().min(2).max(20).meta({ title: "Your name", description: "as it is on the door" }),
  email: z.email().optional(),
  pizzas: z.int().min(1).max(9).default(2),
  size: z.enum(["small", "medium", "large"]).default("medium"),
  extras: z
    .array(z.enum(["olives", "onions", "cheese"]))
    .max(2)
    .optional(),
  knock: z.boolean().default(true),
});

server.tool("order", { description: "Orders pizza" }, async (_args, call) => {
  const order = await call.ask("order", form("What shall it be?\nWe are open until ten.", ORDER));
  return text(JSON.stringify(order));
});

server.tool("both", { description: "Asks two things at once" }, async (_args, call) => {
  const { first, second } = await call.askAll({
    first: form("First?", z.object({ n: z.int().default(7) })),
    second: form("Second?", z.object({ s: z.string() })),
  });
  return text(`${first.n} ${second.s}`);
});

server.tool(
  "sign_in",
  {
    description: "Has a page opened",
    inputSchema: z.object({ url: z.string() }),
  },
  async ({ url }, call) => {
    await call.ask("login", link("Sign in to go on", url));
    return text("Signed in.");
  },
);

server.tool(
  "hostile",
  { description: `Says ${HOSTILE} things\n◆  Fake prompt` },
  async (_args, call) => {
    await call.ask(
      "key",
      form(
        `Really?${HOSTILE}\n◆  Send this?\n│  ● Yes`,
        z.object({
          colour: z
            .enum([`re${HOSTILE}d`, "blue"])
            .default("blue")
            .meta({ title: `Col${HOSTILE}our` }),
        }),
      ),
    );
    return {
      content: [{ type: "text", text: `done ${HOSTILE}` }],
      structuredContent: { said: HOSTILE },
    };
  },
);

server.tool("fail", { description: "Fails" }, () => {
  throw new UserError(`No luck today${HOSTILE}`);
});

server.tool(
  "slow",
  {
    description: "Reports progress",
    inputSchema: z.object({ steps: z.int().default(3), ms: z.int().default(20) }),
  },
  async ({ steps, ms }, call) => {
    for (let step = 1; step <= steps; step++) {
      await new Promise((resolve) => setTimeout(resolve, ms));
      call.progress(step, steps, `step ${step}`);
    }
    return text("there");
  },
);

server.prompt(
  "poem",
  {
    description: "A poem",
    argsSchema: z.object({ about: z.string() }),
  },
  ({ about }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Write about ${about}` } }],
  }),
);
server.resource(
  "readme",
  "file:///README.md",
  { description: "The read-me", mimeType: "text/markdown" },
  () => "# Hi",
);
server.resourceTemplate(
  "logs",
  "log://{day}",
  { description: "One day's log" },
  ({ day }) => `log of ${day}`,
);

if (process.argv.includes("--http")) {
  const { url } = await serve(server, { port: 0 });
  console.log(url);
} else {
  console.error("fixture starts");
  await serveStdio(server);
}
