import { parseArgs } from "node:util";
import { createMcpServer } from "mcp-parley";
import { serve } from "mcp-parley/node";
import { addAskingTools } from "./fixtures/asking.js";
import { addPrompts } from "./fixtures/prompts.js";
import { addResources } from "./fixtures/resources.js";
import { addTools } from "./fixtures/tools.js";

/** The server the referee plays against: `--port N`, 0 for any free one, at /mcp. */
const { values } = parseArgs({ options: { port: { type: "string", default: "3000" } } });

const server = createMcpServer({ name: "parley-conformance", version: "1.0.0" });
addTools(server);
addAskingTools(server);
addPrompts(server);
addResources(server);

const { url } = await serve(server, { port: Number(values.port) });
console.log(`Serving ${url}`);
