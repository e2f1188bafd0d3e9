import { ResponseCache, connect } from "mcp-parley/client";

const cache = new ResponseCache(); // may serve any number of clients
const url = process.argv[2] ?? "http://127.0.0.1:3000/mcp";
const client = await connect(url, { cache });

// Item by item: the next page is asked for when the one before is used up.
for await (const tool of client.listTools()) console.log(tool.name);

// Or all at once; asked of the server only if it did not say that the list keeps for a while.
const tools = await client.listTools().all();
console.log(tools.length);
await client.close();
