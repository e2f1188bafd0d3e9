import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { openClient } from "../../src/client/open.js";
import type { RequestOptions } from "../../src/client/sending.js";
import { connect } from "../../src/entry/client-node.js";
import { connect as connectFetch } from "../../src/entry/client.js";
import { FakeClock } from "./fake-clock.js";
import { MemoryLink } from "./memory-link.js";
import { scripted, stream } from "./scripted.js";

const DONE = { result: { resultType: "complete", content: [] } };

/** A call that nobody has answered yet, with the clock that decides how long that may last. */
async function calling(options: RequestOptions) {
  const clock = new FakeClock();
  const link = new MemoryLink(() => undefined);
  const client = await openClient(link, { limits: { totalTime: 200_000 } }, clock);
  let outcome: unknown = "under way";
  const call = client.callTool({ name: "t" }, options).then(
    () => (outcome = "done"),
    (error: unknown) => (outcome = error),
  );
  await setImmediate();
  const [request] = link.sent;
  if (request === undefined) throw new Error("nothing was sent");
  const progress = (value: unknown, token: unknown = request.id): void =>
    request.notify("notifications/progress", { progressToken: token, progress: value });
  const after = async (ms: number): Promise<unknown> => {
    clock.advance(ms);
    await setImmediate();
    return outcome;
  };
  return { clock, request, progress, after, call };
}

const LATE = { code: "timeout" };

describe("a request's time", () => {
  test("is a minute, whatever progress there is", async () => {
    const { progress, after, request } = await calling({ onProgress: () => undefined });
    expect(await after(59_000)).toBe("under way");
    progress(1);
    expect(await after(1_000)).toMatchObject(LATE);
    expect(request.cancellation.isCancelled).toBe(true);
  });

  test("begins anew with progress where that is asked for, and asks the server for progress", async () => {
    const { progress, after, request } = await calling({
      timeout: 1_000,
      resetTimeoutOnProgress: true,
    });
    expect(request.params["_meta"]).toMatchObject({ progressToken: request.id });
    for (let step = 1; step <= 5; step++) {
      expect(await after(900)).toBe("under way");
      progress(step);
    }
    expect(await after(999)).toBe("under way");
    expect(await after(2)).toMatchObject(LATE);
  });

  test.each([
    ["that does not rise", 1, undefined],
    ["that falls", 0, undefined],
    ["that is no number", "2", undefined],
    ["of another request", 2, "other"],
  ])("does not begin anew with progress %s", async (_name, second, token) => {
    const { progress, after } = await calling({ timeout: 1_000, resetTimeoutOnProgress: true });
    await after(500);
    progress(1);
    await after(500);
    progress(second, token);
    expect(await after(501)).toMatchObject(LATE);
  });

  test.each([
    ["its own most", { maxTotalTimeout: 2_500 }, 2_500],
    ["the client's limit", {}, 200_000],
  ])("ends with %s, however much progress there is", async (_name, most, ends) => {
    const options = { timeout: 1_000, resetTimeoutOnProgress: true, ...most };
    const { progress, after, clock } = await calling(options);
    let step = 0;
    while (clock.now() + 500 < ends) {
      expect(await after(500)).toBe("under way");
      progress((step += 1));
    }
    expect(await after(500)).toMatchObject(LATE);
    expect(clock.now()).toBe(ends);
  });

  test("leaves no timer behind", async () => {
    const { request, clock, call, progress } = await calling({ resetTimeoutOnProgress: true });
    progress(1);
    request.answer(DONE);
    await call;
    expect(clock.waits).toEqual([]);
  });

  test("has to be a positive number", async () => {
    const client = await openClient(new MemoryLink(() => DONE));
    for (const bad of [{ timeout: 0 }, { maxTotalTimeout: -1 }]) {
      await expect(client.callTool({ name: "t" }, bad)).rejects.toThrow(RangeError);
      await expect(client.listTools(bad).all()).rejects.toThrow(RangeError);
    }
  });
});

test("the whole call's time is shared by its rounds", async () => {
  const clock = new FakeClock();
  let asked = 0;
  const link = new MemoryLink(() => {
    clock.advance(700);
    asked += 1;
    return { result: { resultType: "input_required", requestState: `s${asked}` } };
  });
  const client = await openClient(link, {}, clock);
  const call = client.callTool({ name: "t" }, { maxTotalTimeout: 2_000 });
  const failed = expect(call).rejects.toMatchObject({ code: "time_exhausted" });
  clock.advance(await clock.set(250, 300));
  await failed;
  expect(asked).toBe(2);
});

describe.each([
  ["node", connect],
  ["fetch", connectFetch],
])("over %s", (_transport, open) => {
  test("a request that took too long hangs up on its stream", async () => {
    const server = await scripted(({ params }) => ({
      raw: (to) => {
        const { progressToken } = params._meta as { progressToken: number };
        const params_ = { progressToken, progress: 1 };
        stream(to, [{ jsonrpc: "2.0", method: "notifications/progress", params: params_ }], false);
      },
    }));
    const client = await open(server.url);
    const seen: number[] = [];
    const call = client.callTool(
      { name: "t" },
      { timeout: 150, onProgress: ({ progress }) => seen.push(progress) },
    );
    await expect(call).rejects.toMatchObject(LATE);
    await server.requests[0]?.gone;
    await client.close();
    expect(seen).toEqual([1]);
    expect(server.requests).toHaveLength(1);
  });
});
