import { afterEach, describe, expect, test } from "vitest";
import type { Principal } from "../../src/state/principal.js";
import type { HttpOptions } from "../../src/transport/http-policy.js";
import type { Timers } from "../../src/transport/timers.js";
import { DOORS, type Door, type Got, json, post, rest } from "./doors.js";
import {
  CALL,
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

describe.each(DOORS)("over %s", (_, openDoor) => {
  const doors: Door[] = [];
  afterEach(async () => {
    for (const door of doors.splice(0)) await door.close();
  });

  async function open(handler?: Handler, options?: HttpOptions, timers?: Timers): Promise<Door> {
    const door = await openDoor(serverOf(handler), options, timers);
    doors.push(door);
    return door;
  }

  describe("an answer", () => {
    test("is one JSON object", async () => {
      const got = await (await open()).send(post(CALL));
      expect(got.status).toBe(200);
      expect(got.header("content-type")).toBe("application/json");
      expect(await json(got)).toEqual({
        jsonrpc: "2.0",
        id: 1,
        result: { resultType: "complete" },
      });
    });

    test("may come later, and in any script", async () => {
      const door = await open(async () => {
        await Promise.resolve();
        return { text: '{"Zażółć":"日本語 😀"}', status: 200 };
      });
      expect(await rest(await door.send(post(CALL)))).toBe('{"Zażółć":"日本語 😀"}');
    });

    test("travels with the status the server chose", async () => {
      const door = await open(() => ({ text: "{}", status: 400 }));
      expect((await door.send(post(CALL))).status).toBe(400);
    });

    test("to a notification is 202 without a body", async () => {
      const got = await (await open()).send(post(NOTE));
      expect(got.status).toBe(202);
      expect(await rest(got)).toBe("");
    });

    test("carries nothing of earlier revisions' sessions", async () => {
      const door = await open();
      const got = await door.send(post(CALL, { "mcp-session-id": "s", "last-event-id": "7" }));
      expect(got.status).toBe(200);
      expect(got.header("mcp-session-id")).toBeNull();
    });

    test("to what is neither request nor notification is the server's", async () => {
      const got = await (await open()).send({ ...post(CALL), body: '[{"jsonrpc":"2.0"}]' });
      expect(got.status).toBe(400);
      expect(await json(got)).toMatchObject({ error: { code: -32600 } });
    });
  });

  describe("a stream", () => {
    const twice: Handler = async (id, context) => {
      context.notify(NOTIFICATION);
      await Promise.resolve();
      context.notify('{"second":"ź"}');
      return ok(id);
    };

    test("begins with the first notification and ends with the reply, one data line each", async () => {
      const got = await (await open(twice)).send(post(CALL));
      expect(got.status).toBe(200);
      expect(got.header("content-type")).toBe("text/event-stream");
      expect(got.header("x-accel-buffering")).toBe("no");
      expect(got.header("cache-control")).toBe("no-store");
      expect(await rest(got)).toBe(
        `data: ${NOTIFICATION}\n\ndata: {"second":"ź"}\n\ndata: ${ok(1).text}\n\n`,
      );
    });

    test("comes at once, not when the reply does", async () => {
      const go = deferred();
      const door = await open(async (id, context) => {
        context.notify(NOTIFICATION);
        await go.promise;
        return ok(id);
      });
      const got = await door.send(post(CALL));
      expect(await got.next()).toBe(`data: ${NOTIFICATION}\n\n`);
      go.resolve();
      expect(await rest(got)).toBe(`data: ${ok(1).text}\n\n`);
    });

    test("of a handler that does not wait is whole as well", async () => {
      const door = await open((id, context) => {
        context.notify(NOTIFICATION);
        return ok(id);
      });
      expect(await rest(await door.send(post(CALL)))).toBe(
        `data: ${NOTIFICATION}\n\ndata: ${ok(1).text}\n\n`,
      );
    });

    test("is 200 whatever status the reply has", async () => {
      const door = await open((_, context) => {
        context.notify(NOTIFICATION);
        return { text: "{}", status: 400 };
      });
      expect((await door.send(post(CALL))).status).toBe(200);
    });

    test("is not begun for a client that takes JSON alone, nor JSON for one that takes streams alone", async () => {
      const door = await open(twice);
      const asJson = await door.send(post(CALL, { accept: "application/json" }));
      expect(await rest(asJson)).toBe(ok(1).text);
      expect(asJson.header("content-type")).toBe("application/json");

      const plain = await open();
      const asStream = await plain.send(post(CALL, { accept: "text/event-stream" }));
      expect(asStream.header("content-type")).toBe("text/event-stream");
      expect(await rest(asStream)).toBe(`data: ${ok(1).text}\n\n`);
    });

    test("is kept alive while it is open, and left alone once it is over", async () => {
      const timers = new HandTimers();
      const go = deferred();
      const door = await open(
        async (id, context) => {
          context.notify(NOTIFICATION);
          await go.promise;
          return ok(id);
        },
        { keepAliveMs: 20 },
        timers,
      );
      const got = await door.send(post(CALL));
      await got.next();
      timers.ring(20);
      expect(await got.next()).toBe(": keep-alive\n\n");
      timers.ring(20);
      expect(await got.next()).toBe(": keep-alive\n\n");
      go.resolve();
      await rest(got);
      expect(timers.size).toBe(0);
    });

    test("is never begun by a comment alone", async () => {
      const timers = new HandTimers();
      const door = await open(
        (id) => {
          timers.ring(20);
          return ok(id);
        },
        { keepAliveMs: 20 },
        timers,
      );
      expect((await door.send(post(CALL))).header("content-type")).toBe("application/json");
    });

    test("that nobody reads is cut off, and its request aborted", async () => {
      const over = deferred<number>();
      const text = JSON.stringify("x".repeat(256 * 1024));
      const door = await open(async (id, context) => {
        let sent = 0;
        while (!context.signal.aborted && sent < 400) {
          context.notify(text);
          sent++;
          await new Promise((resolve) => setImmediate(resolve));
        }
        over.resolve(sent);
        return ok(id);
      });
      const got = await door.send(post(CALL));
      // 8 MiB and what the sockets hold: far below 100 MiB
      expect(await over.promise).toBeLessThan(400);
      await expect(rest(got)).rejects.toThrow();
    });
  });

  describe("a client that goes", () => {
    test("before the reply aborts the request, and gets nothing more", async () => {
      const begun = deferred();
      const aborted = deferred();
      const done = deferred();
      const door = await open(async (id, context) => {
        context.signal.addEventListener("abort", () => aborted.resolve());
        begun.resolve();
        await aborted.promise;
        context.notify(NOTIFICATION);
        done.resolve();
        return ok(id);
      });
      await door.sendAndLeave(post(CALL), begun.promise);
      await done.promise;
    });

    test("in the middle of a stream aborts it too", async () => {
      const timers = new HandTimers();
      const aborted = deferred();
      const door = await open(
        async (id, context) => {
          context.notify(NOTIFICATION);
          await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
          context.notify(NOTIFICATION);
          aborted.resolve();
          return ok(id);
        },
        {},
        timers,
      );
      const got = await door.send(post(CALL));
      await got.next();
      got.leave();
      await aborted.promise;
      expect(timers.size).toBe(0);
    });

    test("is known to a handler that looks only afterwards", async () => {
      const begun = deferred();
      const left = deferred();
      const seen = deferred<boolean>();
      const door = await open(async (id, context) => {
        begun.resolve();
        await left.promise;
        // The server hears of it from the network, not from this test.
        while (!context.signal.aborted) await new Promise((resolve) => setImmediate(resolve));
        seen.resolve(context.signal.aborted);
        return ok(id);
      });
      await door.sendAndLeave(post(CALL), begun.promise);
      left.resolve();
      expect(await seen.promise).toBe(true);
    });

    test("after the reply aborts nothing, and what is sent then goes nowhere", async () => {
      const contexts: Parameters<Handler>[1][] = [];
      const door = await open(async (id, context) => {
        contexts.push(context);
        expect(context.signal.aborted).toBe(false);
        return ok(id);
      });
      const got = await door.send(post(CALL));
      expect(await rest(got)).toBe(ok(1).text);
      contexts[0]?.notify(NOTIFICATION);
      await door.close();
      expect(contexts[0]?.signal.aborted).toBe(false);
    });
  });

  describe("who calls", () => {
    const ALICE: Principal = { issuer: "https://idp.example", subject: "alice", client: "app" };
    const tell: Handler = (_, context) => ({
      text: JSON.stringify(context.principal ?? null),
      status: 200,
    });

    test("is nobody where nothing is said", async () => {
      expect(await json(await (await open(tell)).send(post(CALL)))).toBeNull();
    });

    test.each([
      ["at once", (value: Principal | undefined) => value],
      ["later", async (value: Principal | undefined) => value],
    ])("is whoever authenticate says, %s", async (_, answer) => {
      const door = await open(tell, {
        authenticate: (head) => {
          expect(head.method).toBe("POST");
          expect(head.url).toContain("/mcp");
          return answer(head.headers.get("Authorization") === "Bearer a" ? ALICE : undefined);
        },
      });
      expect(await json(await door.send(post(CALL, { authorization: "Bearer a" })))).toEqual(ALICE);
      expect(await json(await door.send(post(CALL, { authorization: "Bearer b" })))).toBeNull();
      expect(await json(await door.send(post(CALL)))).toBeNull();
    });

    test("may be refused, with the headers that say how to do better", async () => {
      const log = memoryLogger();
      const door = await open(() => expect.unreachable(), {
        authenticate: () => ({ status: 401, headers: { "WWW-Authenticate": "Bearer" } }),
        log,
      });
      const got = await door.send(post(CALL));
      expect(got.status).toBe(401);
      expect(got.header("www-authenticate")).toBe("Bearer");
      expect(await rest(got)).toBe("");
      expect(log.lines).toEqual([]);
    });

    test.each([
      [
        "throws",
        () => {
          throw new Error("secret");
        },
      ],
      ["rejects", async () => Promise.reject(new Error("secret"))],
      ["refuses with a success", () => ({ status: 200 })],
      ["refuses with no status at all", async () => ({ status: Number.NaN })],
      ["would split the answer", () => ({ status: 401, headers: { a: "b\r\nset-cookie: c" } })],
      ["names no header", () => ({ status: 401, headers: { "a b": "c" } })],
    ])("is nobody when authenticate %s: 500, and nothing runs", async (_, authenticate) => {
      const log = memoryLogger();
      const door = await open(() => expect.unreachable(), { authenticate, log });
      const got = await door.send(post(CALL));
      expect(got.status).toBe(500);
      expect(got.header("set-cookie")).toBeNull();
      expect(await rest(got)).not.toContain("secret");
      expect(log.lines).toHaveLength(1);
    });

    test("is asked only of requests that may come in at all", async () => {
      const door = await open(tell, { authenticate: () => expect.unreachable() });
      const refused = [
        await door.send({ method: "GET" }),
        await door.send(post(CALL, { origin: "https://evil.example" })),
        await door.send(post(CALL, { "content-type": "text/plain" })),
      ];
      expect(refused.map((got: Got) => got.status)).toEqual([405, 403, 415]);
    });
  });

  describe("a server that breaks its promise", () => {
    test.each([
      [
        "throws",
        () => {
          throw new Error("secret");
        },
      ],
      ["rejects", async () => Promise.reject(new Error("secret"))],
    ] satisfies [string, Handler][])(
      "and %s is answered for, and told nothing of",
      async (_, handler) => {
        const log = memoryLogger();
        const got = await (await open(handler, { log })).send(post(CALL));
        const body = await rest(got);
        expect(JSON.parse(body)).toMatchObject({ id: 1, error: { code: -32603 } });
        expect(body).not.toContain("secret");
        expect(log.lines).toMatchObject([{ cause: new Error("secret") }]);
      },
    );
  });

  test("requests do not get each other's answers", async () => {
    const gates = new Map<number, () => void>();
    const all = deferred();
    const door = await open(async (id, context) => {
      const gate = deferred();
      gates.set(Number(id), gate.resolve);
      if (gates.size === 8) all.resolve();
      await gate.promise;
      context.notify(`{"for":${id}}`);
      return ok(id);
    });
    const answers = Array.from({ length: 8 }, async (_, i) =>
      rest(await door.send(post(request(i, "tools/list")))),
    );
    await all.promise;
    for (const id of [5, 0, 7, 2, 1, 6, 3, 4]) gates.get(id)?.();
    expect(await Promise.all(answers)).toEqual(
      answers.map((_, i) => `data: {"for":${i}}\n\ndata: ${ok(i).text}\n\n`),
    );
  });
});
