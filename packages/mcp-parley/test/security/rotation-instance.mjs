/**
 * One of several instances of a server that share a key file. Tells its parent where it listens,
 * and each time it has read other keys.
 */
import { createMcpServer, form, text } from "mcp-parley";
import { keyFile, RingKey } from "mcp-parley/keys";
import { serve } from "mcp-parley/node";

const file = keyFile(process.argv[2] ?? "", 25);

/** @param {readonly string[]} keys */
const tell = (keys) => process.send?.({ ids: keys.map((key) => new RingKey(key).id) });

const server = createMcpServer(
  { name: "rotated", version: "1.0.0" },
  {
    log: false,
    keys: {
      name: file.name,
      read: () => file.read(),
      watch: (listener) =>
        file.watch?.({
          changed(keys) {
            listener.changed(keys);
            tell(keys);
          },
          failed: (error) => listener.failed(error),
        }) ?? (() => undefined),
    },
  },
);

server.tool("two", {}, async (_, call) => {
  await call.ask("a", form("a?"));
  await call.ask("b", form("b?"));
  return text("done");
});

const { url } = await serve(server, { port: 0 });
process.send?.({ url });
tell(file.read());
