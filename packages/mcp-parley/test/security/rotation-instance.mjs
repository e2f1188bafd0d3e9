/**
 * One of several instances of a server that share a key file. Tells its parent where it listens,
 * and each time it has read other keys.
 */
import { createMcpServer, form, text } from "mcp-parley";
import { keyFile, RingKey } from "mcp-parley/keys";
import { serve } from "mcp-parley/node";

const path = process.argv[2] ?? "";
const file = keyFile(path, 20);

/** @param {readonly string[]} keys */
const tell = (keys) => process.send?.({ ids: keys.map((key) => new RingKey(key).id) });

/** @type {import("mcp-parley/keys").KeySource} */
const keys = {
  name: file.name,
  read: () => file.read(),
  watch(listener) {
    const changed = (/** @type {readonly string[]} */ texts) => {
      listener.changed(texts);
      tell(texts);
    };
    if (process.argv[3] !== "slow") {
      return file.watch?.({ changed, failed: (error) => listener.failed(error) }) ?? (() => {});
    }
    // As slow as its parent wants it to be.
    process.on("message", () => changed(keyFile(path).read()));
    return () => {};
  },
};

const server = createMcpServer({ name: "rotated", version: "1.0.0" }, { log: false, keys });

server.tool("two", {}, async (_, call) => {
  await call.ask("a", form("a?"));
  await call.ask("b", form("b?"));
  return text("done");
});

const { url } = await serve(server, { port: 0 });
process.send?.({ url });
tell(file.read());
