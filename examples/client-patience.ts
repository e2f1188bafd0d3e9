import { connect, isParleyError } from "mcp-parley/client";

const url = process.argv[2] ?? "http://127.0.0.1:3000/mcp";
const client = await connect(url, { answer: { form: () => ({ action: "decline" }) } });

try {
  const call = { name: "delete_branch", arguments: { branch: "old" } };
  const result = await client.callTool(call, {
    timeout: 10_000, // for each request …
    resetTimeoutOnProgress: true, // … anew whenever the server reports progress …
    maxTotalTimeout: 120_000, // … but this is the most all of them may take together
    onProgress: ({ progress, total, message }) => console.error(progress, total, message),
  });
  console.log(result.content);
} catch (error) {
  if (!isParleyError(error, "timeout")) throw error;
  console.log("The server took too long. The request has been cancelled.");
}
await client.close();
