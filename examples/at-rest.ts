import { readFile, writeFile } from "node:fs/promises";
import { answered, connect } from "mcp-parley/client";
import type { PendingCall } from "mcp-parley/client";

const [url = "http://127.0.0.1:3000/mcp", file = "pending.json"] = process.argv.slice(2);
const capabilities = { elicitation: { form: {} } };

// today: begin, and put the call to rest as plain JSON
const today = await connect(url, { capabilities });
const first = await today.begin("tools/call", {
  name: "delete_branch",
  arguments: { branch: "old" },
});
if (first.kind === "input_required") await writeFile(file, JSON.stringify(first.pending));
await today.close();

// tomorrow, after a restart: answer, and go on
const tomorrow = await connect(url, { capabilities });
const pending = JSON.parse(await readFile(file, "utf8")) as PendingCall;
const next = await tomorrow.resume(answered(pending, "sure", { action: "accept" }));
console.log(next.kind); // "complete" | "input_required" | "refused" (expired, spent: offer restart) | "extension"
await tomorrow.close();
