import { expect, test } from "vitest";
import { toFetchHandler } from "../../src/transport/fetch.js";
import { headersOf } from "./doors.js";
import { CALL, deferred, memoryLogger, ok, serverOf } from "./fixtures.js";

/*
 * What only a Request that no HTTP server made can do, and what only this handler can be given.
 */

const URL_ = "http://127.0.0.1:3000/mcp";
const BODY = JSON.stringify(CALL);

interface Init extends Omit<RequestInit, "headers"> {
  readonly headers?: Record<string, string>;
}

const make = (init: Init = {}): Request =>
  new Request(URL_, {
    method: "POST",
    body: BODY,
    ...init,
    headers: { ...headersOf(CALL), ...init.headers },
  });

/** A body of `size` bytes that does not end until it is cancelled. */
function endless(size: number) {
  const cancelled = deferred();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new Uint8Array(size).fill(0x20)),
    cancel: () => cancelled.resolve(),
  });
  return { init: { body, duplex: "half" } satisfies Init, cancelled: cancelled.promise };
}

test("a declared length smaller than the body does not let the body in", async () => {
  const handler = toFetchHandler(serverOf(), { maxBodyBytes: BODY.length - 1 });
  const answer = await handler(make({ headers: { "content-length": "1" } }));
  expect(answer.status).toBe(413);
});

test("a length declared beside a transfer coding is not believed", async () => {
  const { init, cancelled } = endless(2_000);
  const headers = { "content-length": "9", "transfer-encoding": "chunked" };
  const handler = toFetchHandler(serverOf(), { maxBodyBytes: 1_000 });
  const answer = await handler(make({ ...init, headers }));
  expect(answer.status).toBe(413);
  await cancelled;
});

test("a body that breaks off is 400", async () => {
  const body = new ReadableStream({ start: (controller) => controller.error(new Error("secret")) });
  const answer = await toFetchHandler(serverOf())(make({ body, duplex: "half" }));
  expect(answer.status).toBe(400);
  expect(await answer.text()).not.toContain("secret");
});

test("a body that was read before is 500, and the operator is told", async () => {
  const log = memoryLogger();
  const request = make();
  await request.text();
  expect((await toFetchHandler(serverOf(), { log })(request)).status).toBe(500);
  expect(log.lines).toHaveLength(1);
});

test("a client that went before the server got to it is known to have gone", async () => {
  const leaving = new AbortController();
  const seen = deferred<boolean>();
  const server = serverOf(async (id, { signal }) => {
    await Promise.resolve();
    seen.resolve(signal.aborted);
    return ok(id);
  });
  const request = make({ signal: leaving.signal });
  // Aborting a Request also breaks its body off; this one's is read before its client goes.
  Object.defineProperty(request, "arrayBuffer", {
    value: async () => {
      leaving.abort();
      return Buffer.from(BODY);
    },
  });
  request.headers.set("content-length", String(BODY.length));
  const answer = await toFetchHandler(server)(request);
  expect(answer.status).toBe(499);
  expect(await seen.promise).toBe(true);
});

test("the host is the URL's where no header says it", async () => {
  const handler = toFetchHandler(serverOf(), { allowedHosts: ["127.0.0.1:3000"] });
  expect((await handler(make())).status).toBe(200);
  expect((await handler(make({ headers: { host: "evil.example" } }))).status).toBe(403);
});
