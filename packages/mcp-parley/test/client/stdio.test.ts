import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Client } from "../../src/client/client.js";
import { type Clock, systemClock } from "../../src/client/clock.js";
import { type ClientOptions, openClient } from "../../src/client/open.js";
import { type StdioServer, connectStdio } from "../../src/entry/client-stdio.js";
import { stdioLink } from "../../src/transport/client/stdio.js";
import { FakeClock } from "./fake-clock.js";

const script = path.join(import.meta.dirname, "fixtures/stdio-server.mjs");

interface Running {
  readonly client: Client;
  /** What the server says it received, and more of its life. */
  readonly log: Record<string, unknown>[];
}

async function start(
  behaviour = "plain",
  options: ClientOptions & { server?: Partial<StdioServer>; clock?: Clock; size?: number } = {},
): Promise<Running> {
  const { server, clock = systemClock, size = 1e6, ...rest } = options;
  const log: Record<string, unknown>[] = [];
  let pending = "";
  const stderr = (text: string): void => {
    const lines = (pending + text).split("\n");
    pending = lines.pop() ?? "";
    for (const line of lines) log.push(JSON.parse(line) as Record<string, unknown>);
  };
  const link = stdioLink(
    { command: process.execPath, args: [script, behaviour], stderr, ...server },
    size,
    clock,
  );
  const client = await openClient(link, rest, clock);
  onTestFinished(() => client.close());
  return { client, log };
}

const said = (result: { content: unknown[] }): string =>
  (result.content[0] as { text: string }).text;

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await setImmediate();
};

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test("connectStdio plays whole calls", async () => {
  const client = await connectStdio(
    { command: process.execPath, args: [script], stderr: "ignore" },
    { answer: { form: () => ({ action: "accept" }) } },
  );
  const result = await client.callTool({ name: "ask", arguments: { id: "a b" } });
  await client.close();
  expect(said(result)).toBe('state of a b {"sure":{"action":"accept","content":{}}}');
  expect(client.server.info).toEqual({ name: "plain", version: "1" });
});

test("calls at once find their own answers", async () => {
  const { client } = await start("plain", { answer: { form: () => ({ action: "decline" }) } });
  const ids = Array.from({ length: 20 }, (_, index) => `${index}`);
  const results = await Promise.all(
    ids.flatMap((id) => [
      client.callTool({ name: "ask", arguments: { id } }),
      client.callTool({ name: "echo", arguments: { id } }),
    ]),
  );
  expect(results.map(said)).toEqual(
    ids.flatMap((id) => [`state of ${id} {"sure":{"action":"decline"}}`, `{"id":"${id}"}`]),
  );
});

test("a message in pieces is one message, and noise is none", async () => {
  const { client } = await start();
  expect(said(await client.callTool({ name: "pieces" }))).toBe("naïve 🧭");
  expect(said(await client.callTool({ name: "noise" }))).toBe("after the noise");
});

test("a request of the server's is not answered", async () => {
  const { client, log } = await start();
  await client.callTool({ name: "noise" }); // a roots/list is in it
  await client.callTool({ name: "echo" });
  const calls = (): number => log.filter(({ method }) => method === "tools/call").length;
  await until(() => calls() === 2);
  const received = log.filter((entry) => !("started" in entry));
  expect(received.map(({ method }) => method)).toEqual(["tools/call", "tools/call"]);
});

test("progress and log messages reach the requests they may belong to", async () => {
  const { client } = await start();
  const seen: unknown[] = [];
  await client.callTool(
    { name: "progress" },
    {
      onProgress: ({ progress }) => seen.push(progress),
      logLevel: "info",
      onLog: ({ data }) => seen.push(data),
    },
  );
  expect(seen).toEqual([1, 2, "hi"]);
});

describe("an abort", () => {
  test("is told to the server by notification, once", async () => {
    const { client, log } = await start();
    const aborting = new AbortController();
    const failed = expect(
      client.callTool({ name: "hang" }, { signal: aborting.signal }),
    ).rejects.toMatchObject({ code: "aborted" });
    await until(() => log.some(({ method }) => method === "tools/call"));
    aborting.abort();
    await failed;
    const { id } = log.find(({ method }) => method === "tools/call") ?? {};
    await until(() => log.some(({ method }) => method === "notifications/cancelled"));
    await client.callTool({ name: "echo" });
    const cancelled = log.filter(({ method }) => method === "notifications/cancelled");
    expect(cancelled).toMatchObject([{ params: { requestId: id } }]);
    expect(cancelled[0]).not.toHaveProperty("id");
  });

  test("of a request that was answered tells nothing", async () => {
    const { client, log } = await start();
    const aborting = new AbortController();
    await client.callTool({ name: "echo" }, { signal: aborting.signal });
    aborting.abort();
    await client.callTool({ name: "echo" });
    expect(log.filter(({ method }) => method === "notifications/cancelled")).toEqual([]);
  });

  test("leaves an answer unread that comes after it", async () => {
    const { client, log } = await start("late");
    const aborting = new AbortController();
    const failed = expect(
      client.callTool({ name: "hang" }, { signal: aborting.signal }),
    ).rejects.toMatchObject({ code: "aborted" });
    await until(() => log.some(({ method }) => method === "tools/call"));
    aborting.abort();
    await failed;
    const next = client.callTool({ name: "echo", arguments: { a: 1 } });
    expect(said(await next)).toBe('{"a":1}');
  });

  test("and a time-out alike", async () => {
    const clock = new FakeClock();
    const { client, log } = await start("plain", { clock });
    const failed = expect(client.callTool({ name: "hang" })).rejects.toMatchObject({
      code: "timeout",
    });
    clock.advance(await clock.set(60_000, 60_000));
    await failed;
    await until(() => log.some(({ method }) => method === "notifications/cancelled"));
  });
});

describe("a process", () => {
  test("that ends fails what is under way, and is started again for what comes next", async () => {
    const { client, log } = await start();
    const hanging = client.callTool({ name: "hang" });
    const failed = Promise.all([
      expect(hanging).rejects.toMatchObject({ code: "transport_failed" }),
      expect(client.callTool({ name: "exit" })).rejects.toMatchObject({
        code: "transport_failed",
        message: expect.stringContaining("(3)") as string,
      }),
    ]);
    await failed;
    expect(said(await client.callTool({ name: "echo", arguments: { again: 1 } }))).toBe(
      '{"again":1}',
    );
    const pids = log.filter((entry) => "started" in entry).map(({ started }) => started);
    expect(new Set(pids).size).toBe(2);
  });

  test("that cannot be started says so, with what to do", async () => {
    await expect(connectStdio({ command: "no-such-program-here" })).rejects.toMatchObject({
      code: "transport_failed",
      message: expect.stringMatching(/no-such-program-here.*ENOENT/) as string,
    });
    await expect(connectStdio({ command: "nul\u0000" })).rejects.toMatchObject({
      code: "transport_failed",
    });
  });

  test("gets no shell, and a small environment with what the host adds", async () => {
    process.env["PARLEY_TEST_SECRET"] = "secret";
    onTestFinished(() => {
      delete process.env["PARLEY_TEST_SECRET"];
    });
    const { client } = await start("$(echo injected); echo", {
      server: { env: { MINE: "yes" }, cwd: path.parse(script).root },
    });
    expect(client.server.info?.name).toBe("$(echo injected); echo");
    const { env, cwd } = JSON.parse(said(await client.callTool({ name: "environment" }))) as {
      env: Record<string, string>;
      cwd: string;
    };
    expect(env).toMatchObject({ MINE: "yes", PATH: process.env["PATH"] });
    expect(env).not.toHaveProperty("PARLEY_TEST_SECRET");
    expect(Object.keys(env).length).toBeLessThan(15);
    expect(cwd).toBe(path.parse(script).root);
  });

  test("that sends a message larger than the limit is ended", async () => {
    const { client, log } = await start("plain", { size: 10_000 });
    await expect(
      client.callTool({ name: "large", arguments: { size: 50_000 } }),
    ).rejects.toMatchObject({
      code: "transport_failed",
      message: expect.stringContaining("10000") as string,
    });
    const pid = log.find((entry) => "started" in entry)?.["started"] as number;
    await until(() => !isAlive(pid));
  });
});

describe("closing", () => {
  test("ends the process by closing its input", async () => {
    const { client, log } = await start();
    await client.callTool({ name: "echo" });
    await client.close();
    expect(isAlive(log[0]?.["started"] as number)).toBe(false);
    expect(log.some(({ told }) => told !== undefined)).toBe(false);
    await expect(client.callTool({ name: "echo" })).rejects.toMatchObject({ code: "aborted" });
    await client.close();
  });

  test.each(["stubborn", "immortal"])("makes a %s one end", async (behaviour) => {
    const clock = new FakeClock();
    const { client, log } = await start(behaviour, { clock });
    await client.callTool({ name: "echo" });
    const pid = log[0]?.["started"] as number;
    const closing = client.close();
    clock.advance(await clock.set(2_000, 2_000));
    await until(() => log.some(({ told }) => told === "SIGTERM"));
    if (behaviour === "immortal") {
      expect(isAlive(pid)).toBe(true);
      clock.advance(await clock.set(2_000, 2_000));
    }
    await closing;
    expect(isAlive(pid)).toBe(false);
  });
});

describe("a server of an earlier revision", () => {
  test.each(["legacy", "legacy-null-id"])(
    "is told by its error (%s), and ended",
    async (behaviour) => {
      let log = "";
      const stderr = (text: string): void => void (log += text);
      await expect(
        connectStdio({ command: process.execPath, args: [script, behaviour], stderr }),
      ).rejects.toMatchObject({ code: "legacy_server" });
      const { started } = JSON.parse(log) as { started: number };
      expect(isAlive(started)).toBe(false);
    },
  );

  test("is told by its silence", async () => {
    const clock = new FakeClock();
    const failed = expect(start("silent", { clock })).rejects.toMatchObject({
      code: "legacy_server",
    });
    clock.advance(await clock.set(30_000, 30_000));
    await failed;
  });
});
