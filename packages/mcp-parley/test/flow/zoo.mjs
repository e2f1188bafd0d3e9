/**
 * The suspension zoo: every way a handler can treat a suspension, run in a process of its own with
 * nothing that filters rejections but what Parley installs. Prints its URL.
 */
import { createMcpServer, form, isSuspension, text } from "mcp-parley";
import { serve } from "mcp-parley/node";

let effects = 0;
const effect = () => void (effects += 1);
const done = text("done");
const never = new Promise(() => undefined);

/** @type {Record<string, (call: import("mcp-parley").Call) => Promise<typeof done>>} */
const animals = {
  async straight(call) {
    await call.ask("a", form("a?"));
    await call.once("e", effect);
    return done;
  },
  async parallel(call) {
    await Promise.all([call.ask("a", form("a?")), call.ask("b", form("b?"))]);
    await call.once("e", effect);
    return done;
  },
  async helper(call) {
    const ask = async () => {
      try {
        return await call.ask("a", form("a?"));
      } finally {
        await Promise.resolve();
      }
    };
    await ask();
    await call.once("e", effect);
    return done;
  },
  async then(call) {
    return call
      .ask("a", form("a?"))
      .then(() => call.once("e", effect))
      .then(() => done);
  },
  async race(call) {
    await Promise.race([call.ask("a", form("a?")), never]);
    await call.once("e", effect);
    return done;
  },
  async swallowed(call) {
    try {
      await call.ask("a", form("a?"));
    } catch {
      // the mistake
    }
    await call.once("e", effect).catch(() => undefined);
    return done;
  },
  async rethrown(call) {
    try {
      await call.ask("a", form("a?"));
    } catch (error) {
      if (isSuspension(error)) throw error;
      return text("caught something else");
    }
    await call.once("e", effect);
    return done;
  },
  async wrapped(call) {
    try {
      await call.ask("a", form("a?"));
    } catch (cause) {
      throw new Error("wrapped", { cause });
    }
    await call.once("e", effect);
    return done;
  },
  async finally(call) {
    try {
      await call.ask("a", form("a?"));
      await call.once("e", effect);
      return done;
    } finally {
      await new Promise((resolve) => setImmediate(resolve));
    }
  },
  async late(call) {
    void new Promise((resolve) => setImmediate(resolve)).then(() => call.ask("b", form("b?")));
    await call.ask("a", form("a?"));
    await call.once("e", effect);
    return done;
  },
  async detached(call) {
    void call.ask("b", form("b?")).then(() => effect());
    void call.ask("c", form("c?"));
    await call.ask("a", form("a?"));
    await call.once("e", effect);
    return done;
  },
  async settled(call) {
    await Promise.allSettled([call.ask("a", form("a?")), call.ask("b", form("b?"))]);
    await call.once("e", effect).catch(() => undefined);
    return done;
  },
  async any(call) {
    await Promise.any([call.ask("a", form("a?")), call.ask("b", form("b?"))]);
    await call.once("e", effect);
    return done;
  },
  async never(call) {
    void call.ask("a", form("a?"));
    return never;
  },
};

const server = createMcpServer({ name: "zoo", version: "1.0.0" }, { log: false });
for (const [name, handler] of Object.entries(animals)) {
  server.tool(name, {}, (_, call) => handler(call));
}
server.tool("effects", {}, () => text(String(effects)));
/** Begins so many flows and abandons them; says how many bytes of heap are then in use. */
server.tool("abandon", {}, async (args) => {
  const message = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: {
      name: "parallel",
      arguments: {},
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
      },
    },
  };
  const { signal } = new AbortController();
  for (let begun = 0; begun < Number(args["flows"]); begun += 1) {
    const reply = await server.dispatch(message, { principal: undefined, signal, notify() {} });
    if (!reply?.text.includes("input_required")) throw new Error(reply?.text);
  }
  globalThis.gc?.();
  return text(String(process.memoryUsage().heapUsed));
});

const { url } = await serve(server, { port: 0 });
console.log(url);
process.on("message", () => process.exit(0));
