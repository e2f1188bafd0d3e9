import { z } from "zod";
import {
  UserError,
  createMcpServer,
  form,
  link,
  roots,
  sample,
  structured,
  text,
} from "../../src/entry/index.js";
import type { McpServer, ParleyEvent, ServerOptions, Store } from "../../src/entry/index.js";
import { memoryStore } from "../../src/store/memory.js";
import { newKeyText } from "../../src/state/key-text.js";

/** The world outside of a server, counted. */
export interface World {
  readonly effects: string[];
  readonly runs: Record<string, number>;
  readonly events: ParleyEvent[];
  /** What the handlers read of the world; changing it changes what they do. */
  mood: string;
}

export function newWorld(): World {
  return { effects: [], runs: {}, events: [], mood: "calm" };
}

const reason = z.object({ reason: z.string().max(80) });
const colour = z.object({ colour: z.enum(["red", "green"]) });

/** What several instances of one server share. */
export function shared(): { keys: string; store: Store } {
  return { keys: newKeyText(), store: memoryStore() };
}

/** One instance of a server that does a little of everything, over the given world. */
export function janitor(world: World, options: ServerOptions): McpServer {
  const server = createMcpServer(
    { name: "janitor", version: "1.0.0" },
    { log: false, onEvent: (event) => world.events.push(event), ...options },
  );
  const run = (name: string): void => {
    world.runs[name] = (world.runs[name] ?? 0) + 1;
  };

  server.tool("plain", { description: "Asks nothing" }, () => text("plain"));

  server.tool(
    "delete_branch",
    { inputSchema: z.object({ branch: z.string() }) },
    async ({ branch }, call) => {
      await call.ask("sure", form(`Delete ${branch}?`));
      const { reason: why } = await call.ask("why", form("Why?", reason));
      await call.once("delete", (effect) => {
        world.effects.push(`${branch} ${effect.idempotencyKey}`);
        return { deleted: branch };
      });
      return text(`Deleted ${branch}: ${why}`);
    },
  );

  server.tool("three", {}, async (_, call) => {
    const given: string[] = [];
    for (const key of ["a", "b", "c"]) {
      given.push((await call.ask(key, form(`${key}?`, reason))).reason);
    }
    return text(given.join(" "));
  });

  server.tool("together", {}, async (_, call) => {
    const [one, { two, three }] = await Promise.all([
      call.ask("one", form("One?", reason)),
      call.askAll({ two: form("Two?", colour), three: form("Three?") }),
    ]);
    return structured({ one: one.reason, two: two.colour, three });
  });

  server.tool("choose", {}, async (_, call) => {
    const answer = await call.tryAsk("pick", form("Pick", colour));
    return text(answer.action === "accept" ? answer.content.colour : `no: ${answer.action}`);
  });

  server.tool("ahead", {}, async (_, call) => {
    const { name } = await call.ask(
      "user_name",
      form("Name?", z.object({ name: z.string() }), { upFront: true }),
    );
    return text(`Hello ${name}`);
  });

  server.tool("counting", {}, async (_, call) => {
    run("handler");
    const kept = await call.memo("kept", () => {
      run("memo");
      return { at: world.runs["memo"] };
    });
    await call.ask("a", form("a?"));
    await call.ask("b", form("b?"));
    return structured(kept);
  });

  server.tool("pay", {}, async (_, call) => {
    const receipt = await call.once("charge", () => {
      world.effects.push("charge");
      return { receipt: world.effects.length };
    });
    await call.ask("thanks", form("Thanks?"));
    return structured(receipt);
  });

  server.tool("wizard", {}, async (_, call) => {
    const first = await call.ask("first", form("First?", reason));
    const { ok } = await call.ask(
      "review",
      form(`Use ${first.reason}?`, z.object({ ok: z.boolean() })),
    );
    if (!ok) call.rewind("first");
    return text(`Used ${first.reason}`);
  });

  server.tool("moody", {}, async (_, call) => {
    await call.ask("sure", form(`Sure, being ${world.mood}?`));
    await call.once("act", () => void world.effects.push("act"));
    if (world.mood === "wild") return text("left out nothing");
    await call.ask("after", form("After?"));
    return text("done");
  });

  server.tool("fickle", {}, async (_, call) => {
    await call.ask("sure", form(`Sure, being ${world.mood}?`));
    return text("done");
  });

  server.tool("stepped", {}, async (_, call) => {
    await call.checkpoint("here");
    run("after checkpoint");
    return text("passed");
  });

  server.tool("sign_in", {}, async (_, call) => {
    await call.ask(
      "login",
      link("Sign in", (ticket) => {
        run("url");
        return `https://example.com/login?ticket=${ticket}`;
      }),
    );
    return text("signed in");
  });

  server.tool("model", {}, async (_, call) => {
    const said = await call.ask(
      "say",
      sample({ messages: [{ role: "user", content: { type: "text", text: "hi" } }], maxTokens: 5 }),
    );
    const dirs = await call.ask("dirs", roots());
    return text(`${said.model} ${dirs.map(({ uri }) => uri).join(" ")}`);
  });

  server.tool("noisy", {}, async (_, call) => {
    call.progress(1, 2, "half");
    call.log("warning", { what: "noise" });
    await call.ask("go", form("Go on?"));
    call.progress(2, 2);
    return text("quiet");
  });

  server.tool("broken", {}, () => {
    throw new Error("the password is hunter2");
  });

  server.tool("sorry", {}, () => {
    throw new UserError("There is no such branch. Try `main`.");
  });

  server.prompt(
    "greeting",
    { argsSchema: z.object({ topic: z.string() }) },
    async ({ topic }, call) => {
      const { reason: tone } = await call.ask("tone", form("Tone?", reason));
      return {
        messages: [{ role: "user", content: { type: "text", text: `${topic}, ${tone}` } }],
      };
    },
  );

  server.resource(
    "secret plan",
    "plan://secret",
    { mimeType: "text/plain", cache: { ttlMs: 60_000, cacheScope: "public" } },
    async (_, call) => {
      if (world.mood !== "open") await call.ask("may", form("May I read it?"));
      return "the plan";
    },
  );

  server.resourceTemplate(
    "page",
    "page://{id}/{+rest}",
    {},
    ({ id, rest }) => `${id ?? ""}:${rest ?? ""}`,
  );
  return server;
}
