import { once } from "node:events";
import { PassThrough, Writable } from "node:stream";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RequestContext } from "../../src/server/context.js";
import { MAX_IN_FLIGHT } from "../../src/transport/stdio-conversation.js";
import { type StdioOptions, serveStdio, serveStreams } from "../../src/transport/stdio.js";
import {
  type Handler,
  HandTimers,
  NOTE,
  NOTIFICATION,
  deferred,
  memoryLogger,
  ok,
  request,
  serverOf,
} from "./fixtures.js";

/** A client at the other end of two streams. */
class Client {
  readonly input = new PassThrough();
  readonly output = new PassThrough();
  readonly timers = new HandTimers();
  readonly over: Promise<void>;
  readonly #lines: AsyncIterator<string, undefined>;

  constructor(handler?: Handler, options: StdioOptions = {}) {
    const { input, output } = this;
    this.#lines = linesOf(output);
    this.over = serveStreams(serverOf(handler), { input, output, ...options }, this.timers).then(
      () => void output.end(),
    );
  }

  send(...messages: unknown[]): void {
    for (const message of messages) this.input.write(`${JSON.stringify(message)}\n`);
  }

  /** The next message. */
  async next(): Promise<unknown> {
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error("There is no further message");
    return JSON.parse(value);
  }

  /** Closes the input, and gives what has not been read yet. */
  async end(last?: string | Uint8Array): Promise<unknown[]> {
    this.input.end(last);
    const messages: unknown[] = [];
    for (;;) {
      const { value, done } = await this.#lines.next();
      if (done === true) return messages;
      messages.push(JSON.parse(value));
    }
  }
}

async function* linesOf(stream: PassThrough): AsyncGenerator<string, undefined> {
  let held = "";
  for await (const piece of stream.setEncoding("utf8")) {
    const lines = (held + String(piece)).split("\n");
    held = lines.pop() ?? "";
    yield* lines;
  }
  if (held !== "") throw new Error(`The output ends within a line: ${held}`);
  return undefined;
}

const reply = (id: unknown) => JSON.parse(ok(id as number).text) as unknown;
const fault = (id: unknown, code: number) =>
  expect.objectContaining({ id, error: expect.objectContaining({ code }) as unknown }) as unknown;
const nameless = (code: number) => ({
  jsonrpc: "2.0",
  error: expect.objectContaining({ code }) as unknown,
});

/** Requests that end when the test says so. */
function gates() {
  const calls = new Map<string | number, ReturnType<typeof newCall>>();
  const newCall = () => ({ begun: deferred<RequestContext>(), gate: deferred() });
  const callOf = (id: string | number) => {
    const call = calls.get(id) ?? newCall();
    calls.set(id, call);
    return call;
  };
  const handler: Handler = async (id, context) => {
    const call = callOf(id);
    call.begun.resolve(context);
    await call.gate.promise;
    calls.delete(id);
    return ok(id);
  };
  return {
    handler,
    /** The context of the request under `id`, once it has begun. */
    begun: (id: string | number) => callOf(id).begun.promise,
    open: (id: string | number) => callOf(id).gate.resolve(),
  };
}

describe("lines", () => {
  test("each message is answered on one line of its own", async () => {
    const client = new Client();
    client.send(request(1, "tools/list"), request("two", "tools/list"));
    expect(await client.end()).toEqual([reply(1), reply("two")]);
  });

  test("come in whatever pieces, with either line ending, with empty ones between", async () => {
    const message = (id: number) =>
      JSON.stringify(request(id, "tools/call", { name: "zażółć 😀" }));
    const bytes = Buffer.from(`\n${message(1)}\r\n \t\r\n\n${message(2)}\n${message(3)}`);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 20 }), async (cuts) => {
        const seen: unknown[] = [];
        const client = new Client((id, _, { params }) => {
          seen.push(params["name"]);
          return ok(id);
        });
        const places = [0, ...cuts, bytes.length].sort((a, b) => a - b);
        for (const [i, to] of places.slice(1).entries())
          client.input.write(bytes.subarray(places[i], to));
        expect(await client.end()).toEqual([reply(1), reply(2), reply(3)]);
        expect(seen).toEqual(["zażółć 😀", "zażółć 😀", "zażółć 😀"]);
      }),
      { numRuns: 40 },
    );
  });

  test("that are no message are refused, and the next one is read", async () => {
    const client = new Client();
    client.input.write("{nonsense\n");
    client.input.write(Buffer.from([0x22, 0xff, 0x22, 0x0a]));
    client.input.write("[]\n7\n");
    client.send({ jsonrpc: "1.0", id: 4, method: "x" }, { jsonrpc: "2.0", id: null, method: "x" });
    client.input.write('{"jsonrpc":"2.0","id":6,"method":"a","method":"b"}\n');
    client.send(request(7, "tools/list"));
    expect(await client.end()).toEqual([
      nameless(-32700),
      nameless(-32700),
      nameless(-32600),
      nameless(-32600),
      fault(4, -32600),
      nameless(-32600),
      fault(6, -32600),
      reply(7),
    ]);
  });

  test("larger than the limit are refused once, before they end, and the next one is read", async () => {
    const client = new Client(undefined, { maxMessageBytes: 300 });
    client.input.write("x".repeat(301));
    expect(await client.next()).toEqual(nameless(-32600));
    client.input.write(`${"x".repeat(10_000)}\n`);
    client.send(request(1, "tools/list"));
    expect(await client.end()).toEqual([reply(1)]);
  });

  test("of 4 MiB are read where no limit is set, and larger ones are not", async () => {
    const client = new Client();
    const message = JSON.stringify(request(1, "tools/list"));
    const limit = 4 * 1024 * 1024;
    client.input.write(`${message}${" ".repeat(limit - message.length)}\n`);
    client.input.write(`${message}${" ".repeat(limit - message.length + 1)}\n`);
    expect(await client.end()).toEqual([reply(1), nameless(-32600)]);
  });

  test("are read as text, too, where the input was told to decode", async () => {
    const input = new PassThrough({ encoding: "utf8" });
    const client = new Client(undefined, { input });
    input.end(`${JSON.stringify(request(1, "tools/list"))}\n`);
    await client.over;
    expect(await client.next()).toEqual(reply(1));
  });
});

describe("requests", () => {
  test("run at once and are answered as they finish", async () => {
    const { handler, open } = gates();
    const client = new Client(handler);
    client.send(request(1, "a"), request(2, "a"), request(3, "a"));
    open(3);
    expect(await client.next()).toEqual(reply(3));
    open(1);
    expect(await client.next()).toEqual(reply(1));
    open(2);
    expect(await client.end()).toEqual([reply(2)]);
  });

  test("send notifications before their reply and none after it", async () => {
    let context: RequestContext | undefined;
    const client = new Client(async (id, its) => {
      context = its;
      its.notify(NOTIFICATION);
      await Promise.resolve();
      return ok(id);
    });
    client.send(request(1, "a"));
    expect(await client.next()).toEqual(JSON.parse(NOTIFICATION));
    expect(await client.next()).toEqual(reply(1));
    context?.notify(NOTIFICATION);
    expect(await client.end()).toEqual([]);
    expect(context?.signal.aborted).toBe(false);
  });

  test("under an id still in use are refused, and the first is not disturbed", async () => {
    const { handler, begun, open } = gates();
    const client = new Client(handler);
    client.send(request(1, "a"), request("1", "a"), request(1, "a"));
    expect(await client.next()).toEqual(fault(1, -32600));
    expect((await begun(1)).signal.aborted).toBe(false);
    open(1);
    expect(await client.next()).toEqual(reply(1));
    client.send(request(1, "a"));
    open("1");
    expect(await client.next()).toEqual(reply("1"));
    open(1);
    expect(await client.end()).toEqual([reply(1)]);
  });

  test("beyond what any client has under way are refused, and the rest go on", async () => {
    const { handler, open } = gates();
    const client = new Client(handler);
    const ids = Array.from({ length: MAX_IN_FLIGHT + 1 }, (_, i) => i);
    client.send(...ids.map((id) => request(id, "a")));
    expect(await client.next()).toEqual(fault(MAX_IN_FLIGHT, -32603));
    open(0);
    expect(await client.next()).toEqual(reply(0));
    for (const id of ids) open(id);
    expect(await client.end()).toHaveLength(MAX_IN_FLIGHT - 1);
  });

  test.each([
    [
      "throws",
      () => {
        throw new Error("secret");
      },
    ],
    ["rejects", async () => Promise.reject(new Error("secret"))],
  ] satisfies [string, Handler][])("are answered for where the server %s", async (_, handler) => {
    const log = memoryLogger();
    const client = new Client(handler, { log });
    client.send(request(1, "a"));
    const messages = await client.end();
    expect(messages).toEqual([fault(1, -32603)]);
    expect(JSON.stringify(messages)).not.toContain("secret");
    expect(log.lines).toMatchObject([{ cause: new Error("secret") }]);
  });

  test("come from whom the process says", async () => {
    const principal = { issuer: "os", subject: "alice" };
    const tell: Handler = (_, context) => ({
      text: JSON.stringify(context.principal ?? null),
      status: 200,
    });
    for (const [options, expected] of [
      [{ principal }, principal],
      [{}, null],
    ] as const) {
      const client = new Client(tell, options);
      client.send(request(1, "a"));
      expect(await client.end()).toEqual([expected]);
    }
  });

  test("are all there is: notifications and responses are never answered", async () => {
    const client = new Client();
    client.send(
      NOTE,
      { jsonrpc: "2.0", id: 1, result: {} },
      { jsonrpc: "2.0", id: 2, error: { code: 1, message: "" } },
    );
    expect(await client.end()).toEqual([]);
  });
});

describe("cancellation", () => {
  const cancel = (requestId: unknown) => ({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId },
  });

  test("aborts that request alone, and nothing more is sent for it", async () => {
    const { handler, begun, open } = gates();
    const client = new Client(handler);
    client.send(request(1, "a"), request(2, "a"));
    const [first, second] = await Promise.all([begun(1), begun(2)]);
    const aborted = new Promise((resolve) => first.signal.addEventListener("abort", resolve));
    client.send(cancel(1));
    await aborted;
    expect(second.signal.aborted).toBe(false);
    first.notify(NOTIFICATION);
    open(1);
    open(2);
    expect(await client.end()).toEqual([reply(2)]);
  });

  test("frees the id, and the cancelled request has no more say in it", async () => {
    const gate = [deferred(), deferred()];
    const ended = deferred();
    let calls = 0;
    const client = new Client(async (id) => {
      const call = calls++;
      await gate[call]?.promise;
      if (call === 0) setImmediate(ended.resolve);
      return { text: JSON.stringify({ id, call }), status: 200 };
    });
    client.send(request(1, "a"), cancel(1), request(1, "a"));
    gate[0]?.resolve();
    await ended.promise;
    client.send(request(1, "a"));
    expect(await client.next()).toEqual(fault(1, -32600));
    gate[1]?.resolve();
    expect(await client.end()).toEqual([{ id: 1, call: 1 }]);
  });

  test.each([
    cancel(9),
    cancel("1"),
    cancel(null),
    cancel({}),
    { jsonrpc: "2.0", method: "notifications/cancelled" },
  ])("of what is not under way is ignored (%j)", async (notification) => {
    const { handler, open } = gates();
    const client = new Client(handler);
    client.send(request(1, "a"), notification, request(2, "a"));
    open(2);
    expect(await client.next()).toEqual(reply(2));
    open(1);
    expect(await client.end()).toEqual([reply(1)]);
  });
});

describe("the end of the input", () => {
  test("with nothing under way is the end", async () => {
    const client = new Client();
    expect(await client.end()).toEqual([]);
    expect(client.timers.size).toBe(0);
  });

  test("lets what is under way finish", async () => {
    const { handler, open } = gates();
    const client = new Client(handler);
    client.send(request(1, "a"));
    client.input.end();
    await once(client.input, "close");
    expect(client.timers.size).toBe(1);
    open(1);
    expect(await client.next()).toEqual(reply(1));
    await client.over;
    expect(client.timers.size).toBe(0);
  });

  test("ends what would not end by itself", async () => {
    const drained = deferred();
    const input = new PassThrough();
    const output = new PassThrough();
    const dispatcher = serverOf(async (id) => {
      await drained.promise;
      return ok(id);
    });
    const over = serveStreams(
      { ...dispatcher, drain: drained.resolve },
      { input, output },
      new HandTimers(),
    );
    input.end(`${JSON.stringify(request(1, "subscriptions/listen"))}\n`);
    await over;
    expect(JSON.parse(String(output.read()))).toEqual(reply(1));
  });

  test("aborts what has not finished in time", async () => {
    const { handler, begun, open } = gates();
    const client = new Client(handler, { graceMs: 70 });
    client.send(request(1, "a"));
    client.input.end();
    await once(client.input, "close");
    const { signal } = await begun(1);
    expect(signal.aborted).toBe(false);
    client.timers.ring(70);
    await client.over;
    expect(signal.aborted).toBe(true);
    open(1);
    expect(await client.end()).toEqual([]);
  });

  test.each([
    ["breaks", (client: Client) => client.input.destroy(new Error("gone"))],
    ["is closed before its end", (client: Client) => client.input.destroy()],
  ])("is also reached where it %s", async (_, end) => {
    const client = new Client();
    end(client);
    await client.over;
  });

  test("of the output aborts everything at once", async () => {
    const { handler, begun } = gates();
    const client = new Client(handler);
    client.send(request(1, "a"));
    const { signal } = await begun(1);
    client.output.destroy(new Error("EPIPE"));
    await client.over;
    expect(signal.aborted).toBe(true);
  });
});

describe("a client that does not read", () => {
  /** An output that takes nothing until it is released. */
  function stuckOutput() {
    const taken: string[] = [];
    let pending: (() => void) | undefined;
    let released = false;
    const output = new Writable({
      highWaterMark: 1024,
      write(piece: Buffer, _encoding, done) {
        if (piece.length > 0) taken.push(piece.toString());
        if (released) done();
        else pending = done;
      },
    });
    const release = () => {
      released = true;
      pending?.();
    };
    return { output, taken, release };
  }

  test("is not read from until it does", async () => {
    const { output, taken, release } = stuckOutput();
    const seen: unknown[] = [];
    const client = new Client(
      (id) => {
        seen.push(id);
        return { text: JSON.stringify("x".repeat(2000)), status: 200 };
      },
      { output },
    );
    client.send(request(1, "a"));
    await turn();
    client.send(request(2, "a"));
    await turn();
    expect(seen).toEqual([1]);
    release();
    client.input.end();
    await client.over;
    expect(seen).toEqual([1, 2]);
    expect(taken).toHaveLength(2);
  });

  test("is not buried in notifications, and still gets its reply", async () => {
    const { output, taken, release } = stuckOutput();
    const big = JSON.stringify("x".repeat(1024 * 1024));
    const client = new Client(
      (id, context) => {
        for (let i = 0; i < 20; i++) context.notify(big);
        return ok(id);
      },
      { output },
    );
    client.send(request(1, "a"));
    await turn();
    expect(output.writableLength).toBeLessThan(10 * 1024 * 1024);
    release();
    client.input.end();
    await client.over;
    expect(taken.at(-1)).toBe(`${ok(1).text}\n`);
  });
});

/** Lets what the streams have queued happen. */
const turn = async () => {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
};

test.each([{ maxMessageBytes: 0 }, { graceMs: Number.NaN }])(
  "%j is refused as a setting",
  async (options) => {
    const streams = { input: new PassThrough(), output: new PassThrough() };
    await expect(serveStdio(serverOf(), { ...streams, ...options })).rejects.toMatchObject({
      code: "usage",
    });
  },
);
