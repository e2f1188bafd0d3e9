import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { text as textOf } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { CALL, NOTIFICATION, ok, request } from "./fixtures.js";

/*
 * What only shows in a process of its own: what reaches stdout, what ends the process and what does
 * not. These run the built entries.
 */

/** Runs `script`, a module's source, and gives how it ended. */
function run(script: string): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const argv = ["--input-type=module", "--eval", script];
    execFile(process.execPath, argv, { cwd: import.meta.dirname }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

const SUSPENSION = `Object.assign(new Error("round over"), { [Symbol.for("mcp-parley.suspension")]: true })`;

describe.each([
  [
    "serve",
    `import { serve } from "mcp-parley/node";
     const serving = await serve({ dispatch: () => undefined }, { port: 0 });
     const end = () => serving.close();`,
  ],
  [
    "serveStdio",
    `import { PassThrough } from "node:stream";
     import { serveStdio } from "mcp-parley/stdio";
     const input = new PassThrough();
     void serveStdio({ dispatch: () => undefined }, { input, output: new PassThrough() });
     const end = () => input.end();`,
  ],
])("a process of %s", (_, start) => {
  test("outlives a suspension nobody awaited", async () => {
    const ended = await run(`${start}
      Promise.reject(${SUSPENSION});
      setImmediate(() => { console.log("alive"); end(); });`);
    expect(ended).toMatchObject({ code: 0, stdout: "alive\n", stderr: "" });
  });

  test("ends at every other rejection nobody handled, as it would have", async () => {
    const ended = await run(`${start}
      Promise.reject(new Error("a real fault"));
      setImmediate(() => { console.log("alive"); end(); });`);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toContain("a real fault");
  });

  test.each(["'text'", "undefined", "null", "{}"])(
    "ends where the reason is %s, too",
    async (reason) => {
      const ended = await run(`${start}
      Promise.reject(${reason});
      setImmediate(() => { console.log("alive"); end(); });`);
      expect(ended).toMatchObject({ code: 1, stdout: "" });
    },
  );

  test("leaves the rest to whoever else listens", async () => {
    const ended = await run(`
      process.on("unhandledRejection", (reason) => console.log("heard", reason.message));
      ${start}
      Promise.reject(new Error("a real fault"));
      setImmediate(end);`);
    expect(ended).toMatchObject({ code: 0, stdout: "heard a real fault\n" });
  });
});

describe("a process that serves its own standard streams", () => {
  const SERVER = `
    import { serveStdio } from "mcp-parley/stdio";
    const dispatch = async (message, context) => {
      console.log("a forgotten line");
      console.table([1]);
      console.error("a proper one");
      context.notify(${JSON.stringify(NOTIFICATION)});
      return { text: JSON.stringify({ jsonrpc: "2.0", id: message.id, result: { resultType: "complete" } }), status: 200 };
    };
    await serveStdio({ dispatch });
    console.log("over");`;

  test("writes nothing but messages to stdout while it runs, and ends with its input", async () => {
    const child = spawn(process.execPath, ["--input-type=module", "--eval", SERVER], {
      cwd: import.meta.dirname,
    });
    const stdout = textOf(child.stdout);
    const stderr = textOf(child.stderr);
    child.stdin.end(`${JSON.stringify(CALL)}\n${JSON.stringify(request(2, "tools/list"))}\n`);
    const [code] = (await once(child, "exit")) as [number];
    expect(code).toBe(0);
    expect(await stdout).toBe(
      [NOTIFICATION, NOTIFICATION, ok(1).text, ok(2).text, "over", ""].join("\n"),
    );
    expect(await stderr).toContain("a forgotten line");
    expect(await stderr).toContain("a proper one");
  });

  test("ends when its client has gone away without a word", async () => {
    const server = `
      import { serveStdio } from "mcp-parley/stdio";
      const dispatch = (message, context) => new Promise((resolve) => {
        const timer = setInterval(() => context.notify(${JSON.stringify(NOTIFICATION)}), 1);
        context.signal.addEventListener("abort", () => { clearInterval(timer); console.error("aborted"); resolve(undefined); });
      });
      await serveStdio({ dispatch });`;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", server], {
      cwd: import.meta.dirname,
    });
    const stderr = textOf(child.stderr);
    child.stdin.write(`${JSON.stringify(CALL)}\n`);
    await once(child.stdout, "data");
    child.stdout.destroy();
    const [code] = (await once(child, "exit")) as [number];
    expect({ code, stderr: await stderr }).toEqual({ code: 0, stderr: "aborted\n" });
  });
});
