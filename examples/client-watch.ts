import { connect } from "mcp-parley/client";

const [url = "http://127.0.0.1:3000/mcp", ms = "60000"] = process.argv.slice(2);
const client = await connect(url);

const events = client.listen(
  { toolsListChanged: true, resourceSubscriptions: ["file:///project/plan.md"] },
  { signal: AbortSignal.timeout(Number(ms)) },
);
for await (const event of events) {
  switch (event.kind) {
    case "open": // the server may accept less than it was asked for
      console.log("open", JSON.stringify(event.accepted));
      break;
    case "cut":
      console.log(`cut off, again in ${Math.ceil(event.after)} ms`);
      break;
    case "missed": // read everything anew
    case "tools":
      console.log((await client.listTools().all()).length, "tools");
      break;
    case "resource":
      console.log("changed:", event.uri);
      break;
    case "prompts":
    case "resources":
      break; // not asked for
  }
}
await client.close();
