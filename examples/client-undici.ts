import { connect } from "mcp-parley/client";
import { Agent } from "undici"; // or ProxyAgent, for a proxy

const url = process.argv[2] ?? "http://127.0.0.1:3000/mcp";
const dispatcher = new Agent();
const client = await connect(url, { dispatcher });

console.log((await client.listTools().all()).length);
await client.close();
await dispatcher.close();
