import { connect } from "mcp-parley/client";
import { askInMyUi } from "./my-ui.js";

const client = await connect(process.argv[2] ?? "http://127.0.0.1:3000/mcp", {
  answer: { form: (question, about) => askInMyUi(question, about) },
});

const result = await client.callTool({ name: "delete_branch", arguments: { branch: "old" } });
console.log(result.content);
await client.close();
