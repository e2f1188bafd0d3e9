import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectStdio } from "mcp-parley/client/stdio";

/** The README's examples, run as their readers would run them. */
const built = (name: string): string => path.join(import.meta.dirname, "dist", `${name}.js`);

const running: ChildProcess[] = [];
let url: string;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "parley-examples-"));
  const server = spawn(process.execPath, [built("delete-branch")], {
    env: { ...process.env, PORT: "0" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  running.push(server);
  url = await new Promise((resolve, reject) => {
    let said = "";
    server.stderr.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      const found = /Serving (\S+)/.exec(said);
      if (found?.[1] !== undefined) resolve(found[1]);
    });
    server.once("exit", () => reject(new Error(said)));
  });
});

afterAll(async () => {
  for (const child of running) child.kill();
  await rm(folder, { recursive: true });
});

function run(name: string, args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [built(name), ...args], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
    child.once("exit", (code) => {
      if (code === 0) resolve(out);
      else reject(new Error(`${name} ended with ${String(code)}: ${err}`));
    });
  });
}

it("delete-branch is served, and host answers it", async () => {
  expect(await run("host", [url])).toContain("Deleted old.");
});

it("at-rest puts the call aside and goes on with it", async () => {
  expect(await run("at-rest", [url, path.join(folder, "pending.json")])).toBe("input_required\n");
});

it("client-lists goes through a list, and has it again", async () => {
  expect(await run("client-lists", [url])).toBe("delete_branch\n1\n");
});

it("client-watch hears what the server will tell of, and ends", async () => {
  expect(await run("client-watch", [url, "300"])).toBe('open {"toolsListChanged":true}\n');
});

it("client-undici has connections of its own", async () => {
  expect(await run("client-undici", [url])).toBe("1\n");
});

it("client-patience gets its answer in time", async () => {
  expect(await run("client-patience", [url])).toContain("declined");
});

describe.each(["sdk-two-lines", "by-hand"])("%s", (name) => {
  it("asks twice and deletes, for our client over stdio", async () => {
    const asked: string[] = [];
    const client = await connectStdio(
      { command: process.execPath, args: [built(name)] },
      {
        answer: {
          form: ({ requestedSchema }, { key }) => {
            asked.push(key);
            const content = "reason" in requestedSchema.properties ? { reason: "merged" } : {};
            return { action: "accept", content };
          },
        },
      },
    );
    const call = { name: "delete_branch", arguments: { branch: "old" } };
    const { content } = await client.callTool(call);
    expect(asked).toEqual(["sure", "why"]);
    expect(content).toEqual([{ type: "text", text: "Deleted old." }]);
    await client.close();
  });
});
