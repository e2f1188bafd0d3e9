import { getEventListeners } from "node:events";
import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { openClient } from "../../src/client/open.js";
import { connect } from "../../src/entry/client-node.js";
import { connect as connectFetch } from "../../src/entry/client.js";
import { nodeHttpLink } from "../../src/transport/client/http-node.js";
import { FakeClock } from "./fake-clock.js";
import { type Reply, ask, form, scripted, stream, text } from "./scripted.js";
import { connectUndici } from "../support/undici.js";

const reason = new Error("the user closed the tab");

describe.each([
  ["node", connect],
  ["undici", connectUndici],
  ["fetch", connectFetch],
])("over %s, an abort", (_transport, open) => {
  test("before the call sends nothing", async () => {
    const server = await scripted(() => text("done"));
    const client = await open(server.url);
    const error: unknown = await client
      .callTool({ name: "t" }, { signal: AbortSignal.abort(reason) })
      .catch((e: unknown) => e);
    await client.close();
    expect(error).toMatchObject({ code: "aborted", cause: reason });
    expect(server.requests).toEqual([]);
  });

  test.each<[string, Reply]>([
    ["before anything came", { raw: () => undefined }],
    ["in the middle of a stream", { raw: (to) => stream(to, [], false) }],
  ])("while the server is at it (%s) hangs up, and nothing more is sent", async (_when, reply) => {
    const server = await scripted(() => reply);
    const client = await open(server.url);
    const aborting = new AbortController();
    const failed = expect(
      client.callTool({ name: "t" }, { signal: aborting.signal }),
    ).rejects.toMatchObject({ code: "aborted", cause: reason });
    while (server.requests.length === 0) await setImmediate();
    aborting.abort(reason);
    await failed;
    await server.requests[0]?.gone;
    await client.close();
    expect(server.requests).toHaveLength(1);
  });

  test("while a person answers takes the question away, and nothing more is sent", async () => {
    const server = await scripted(() => ask({ q: form("?") }, "s"));
    const aborting = new AbortController();
    let told: unknown;
    const client = await open(server.url, {
      answer: {
        form: (_question, { signal }) =>
          new Promise(() => {
            signal.addEventListener("abort", () => {
              told = signal.reason;
            });
            queueMicrotask(() => aborting.abort(reason));
          }),
      },
    });
    await expect(client.callTool({ name: "t" }, { signal: aborting.signal })).rejects.toMatchObject(
      { code: "aborted", cause: reason },
    );
    await client.close();
    expect(told).toMatchObject({ code: "aborted", cause: reason });
    expect(server.requests).toHaveLength(1);
  });

  test("between an answer and the retry sends nothing, even if the answer is there", async () => {
    const server = await scripted(() => ask({ q: form("?") }, "s"));
    const aborting = new AbortController();
    const client = await open(server.url, {
      answer: {
        form: () => {
          aborting.abort(reason);
          return { action: "accept" };
        },
      },
    });
    await expect(client.callTool({ name: "t" }, { signal: aborting.signal })).rejects.toMatchObject(
      { code: "aborted" },
    );
    await client.close();
    expect(server.requests).toHaveLength(1);
  });

  test("leaves the other calls of the client alone", async () => {
    const server = await scripted(({ params }) =>
      params.name === "slow" ? { raw: () => undefined } : text("done"),
    );
    const client = await open(server.url);
    const aborting = new AbortController();
    const failed = expect(
      client.callTool({ name: "slow" }, { signal: aborting.signal }),
    ).rejects.toMatchObject({ code: "aborted" });
    while (server.requests.length === 0) await setImmediate();
    const other = client.callTool({ name: "quick" });
    aborting.abort(reason);
    await failed;
    await expect(other).resolves.toBeDefined();
    await client.close();
  });
});

test("an abort while a pause lasts ends it, and nothing more is sent", async () => {
  const clock = new FakeClock();
  const server = await scripted(() => ask(undefined, "s"));
  const client = await openClient(
    nodeHttpLink({ url: server.url, responseSize: 1e6 }, clock),
    {},
    clock,
  );
  const aborting = new AbortController();
  const failed = expect(
    client.callTool({ name: "t" }, { signal: aborting.signal }),
  ).rejects.toMatchObject({ code: "aborted", cause: reason });
  await clock.set(250, 300);
  aborting.abort(reason);
  await failed;
  await client.close();
  expect(clock.waits).toEqual([]); // no timer is left behind
  expect(server.requests).toHaveLength(1);
});

test("an abort while connecting ends that", async () => {
  const server = await scripted(
    () => text("done"),
    () => ({ raw: () => undefined }),
  );
  const aborting = new AbortController();
  const failed = expect(connect(server.url, { signal: aborting.signal })).rejects.toMatchObject({
    code: "aborted",
    cause: reason,
  });
  while (server.all.length === 0) await setImmediate();
  aborting.abort(reason);
  await failed;
});

describe("closing the client", () => {
  test("ends the calls under way, and those that come later", async () => {
    const server = await scripted(() => ({ raw: () => undefined }));
    const client = await connect(server.url);
    const failed = expect(client.callTool({ name: "t" })).rejects.toMatchObject({
      code: "aborted",
    });
    while (server.requests.length === 0) await setImmediate();
    await client.close();
    await failed;
    await expect(client.callTool({ name: "t" })).rejects.toMatchObject({ code: "aborted" });
    await client.close();
    expect(server.requests).toHaveLength(1);
  });

  test("takes open questions away", async () => {
    const server = await scripted(() => ask({ q: form("?") }));
    let told = false;
    let open = (): void => undefined;
    const asked = new Promise<void>((resolve) => (open = resolve));
    const client = await connect(server.url, {
      answer: {
        form: (_question, { signal }) => {
          open();
          return new Promise(() => signal.addEventListener("abort", () => (told = true)));
        },
      },
    });
    const failed = expect(client.callTool({ name: "t" })).rejects.toMatchObject({
      code: "aborted",
    });
    await asked;
    await client.close();
    await failed;
    expect(told).toBe(true);
  });
});

test("signals a host keeps for long are left without listeners of ours", async () => {
  const server = await scripted((_request, index) =>
    index === 0 ? ask({ q: form("?") }) : text("done"),
  );
  const { signal } = new AbortController();
  const listening = (): number => getEventListeners(signal, "abort").length;
  let meanwhile = 0;
  const client = await connect(server.url, {
    answer: {
      form: () => {
        meanwhile = listening();
        return { action: "accept" };
      },
    },
  });
  await client.callTool({ name: "t" }, { signal });
  expect(meanwhile).toBeGreaterThan(0);
  expect(listening()).toBe(0);
  await client.close();
});

test("many calls at once make no platform warn of leaks", async () => {
  const server = await scripted((_request, index) =>
    index < 40 ? ask({ q: form("?") }, "s") : text("done"),
  );
  const warnings: Error[] = [];
  const warn = (warning: Error): void => void warnings.push(warning);
  process.on("warning", warn);
  const client = await connect(server.url, { answer: { form: () => ({ action: "accept" }) } });
  await Promise.all(Array.from({ length: 40 }, () => client.callTool({ name: "t" })));
  await client.close();
  await setImmediate();
  process.off("warning", warn);
  expect(warnings).toEqual([]);
});
