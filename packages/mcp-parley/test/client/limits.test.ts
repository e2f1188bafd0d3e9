import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Client } from "../../src/client/client.js";
import type { Clock } from "../../src/client/clock.js";
import { type ClientOptions, openClient } from "../../src/client/open.js";
import { connect } from "../../src/entry/client-node.js";
import { nodeHttpLink } from "../../src/transport/client/http-node.js";
import { FakeClock } from "./fake-clock.js";
import { type Reply, ask, form, scripted, text } from "./scripted.js";

const accepting = { form: () => ({ action: "accept" as const }) };
const never: Reply = { raw: () => undefined };

function open(url: string, clock: Clock, options: ClientOptions = {}): Promise<Client> {
  return openClient(nodeHttpLink({ url, responseSize: 1e6 }, clock), options, clock);
}

describe("a state-only round", () => {
  test("is repeated with the state and without answers, after pauses that grow to five seconds", async () => {
    const clock = new FakeClock();
    const rounds = 9;
    const server = await scripted((_request, index) =>
      index < rounds ? ask(undefined, `s${index}`) : text("done"),
    );
    const client = await open(server.url, clock);
    const calling = client.callTool({ name: "t" });
    const pauses: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const ms = await clock.set(250, 6_000);
      pauses.push(ms);
      expect(server.requests).toHaveLength(round + 1); // nothing is sent while it lasts
      clock.advance(ms);
    }
    await calling;
    await client.close();
    const least = [250, 500, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000, 5_000];
    pauses.forEach((ms, index) => {
      expect(ms).toBeGreaterThanOrEqual(least[index] ?? 0);
      expect(ms).toBeLessThanOrEqual((least[index] ?? 0) * 1.2);
    });
    for (const [index, { params }] of server.requests.slice(1).entries()) {
      expect(params.requestState).toBe(`s${index}`);
      expect(params).not.toHaveProperty("inputResponses");
    }
  });

  test("with an empty map of questions is one, too", async () => {
    const clock = new FakeClock();
    const server = await scripted((_request, index) => (index === 0 ? ask({}, "s") : text("done")));
    const client = await open(server.url, clock);
    const calling = client.callTool({ name: "t" });
    clock.advance(await clock.set(250, 300));
    await calling;
    await client.close();
    expect(server.requests[1]?.params).not.toHaveProperty("inputResponses");
  });

  test("after a question starts from the shortest pause again", async () => {
    const clock = new FakeClock();
    const server = await scripted((_request, index) => {
      if (index === 2) return ask({ q: form("?") }, "q");
      return index < 4 ? ask(undefined, `s${index}`) : text("done");
    });
    const client = await open(server.url, clock, { answer: accepting });
    const calling = client.callTool({ name: "t" });
    for (const least of [250, 500, 250]) clock.advance(await clock.set(least, least * 1.2));
    await calling;
    await client.close();
  });

  test("is bounded by time: the call ends before a pause it could not afford", async () => {
    const clock = new FakeClock();
    const server = await scripted((_request, index) => ask(undefined, `s${index}`));
    const client = await open(server.url, clock, { limits: { totalTime: 3_000, rounds: 1 } });
    const calling = client.callTool({ name: "t" });
    const failed = expect(calling).rejects.toMatchObject({
      code: "time_exhausted",
      pending: { requestState: "s3", round: 4, idle: 4 },
    });
    for (const least of [250, 500, 1_000]) {
      clock.advance(await clock.set(least, least * 1.2));
    }
    await failed;
    await client.close();
    expect(server.requests).toHaveLength(4);
  });

  test("is paced for a host that drives the rounds as well", async () => {
    const clock = new FakeClock();
    const server = await scripted((_request, index) => ask(undefined, `s${index}`));
    const client = await open(server.url, clock);
    let turn = await client.begin("tools/call", { name: "t" });
    for (const least of [250, 500, 1_000]) {
      if (turn.kind !== "input_required") throw new Error(turn.kind);
      const resuming = client.resume(turn.pending);
      clock.advance(await clock.set(least, least * 1.2));
      turn = await resuming;
    }
    await client.close();
    expect(server.requests).toHaveLength(4);
  });
});

test("an endless questioner is stopped after the rounds that are allowed, with the flow in hand", async () => {
  const server = await scripted((_request, index) =>
    ask({ [`q${index}`]: form("?") }, `s${index}`),
  );
  let asked = 0;
  const client = await connect(server.url, {
    limits: { rounds: 3 },
    answer: { form: () => ((asked += 1), { action: "accept" }) },
  });
  await expect(client.callTool({ name: "t" })).rejects.toMatchObject({
    code: "rounds_exhausted",
    pending: { round: 4, requestState: "s3" },
  });
  await client.close();
  expect(asked).toBe(3);
  expect(server.requests).toHaveLength(4);
});

test("fifty rounds of questions are allowed by default", async () => {
  const server = await scripted((_request, index) => ask({ q: form("?") }, `s${index}`));
  const client = await connect(server.url, { answer: accepting });
  await expect(client.callTool({ name: "t" })).rejects.toMatchObject({ code: "rounds_exhausted" });
  await client.close();
  expect(server.requests).toHaveLength(51);
});

test("time that passed while no timer could fire counts all the same", async () => {
  let now = 0;
  const asleep: Clock = { now: () => now, after: () => () => undefined };
  const server = await scripted(() => {
    now += 600_000;
    return ask({ q: form("?") }, "s");
  });
  const client = await open(server.url, asleep, {
    answer: accepting,
    limits: { totalTime: 1_000_000 },
  });
  await expect(client.callTool({ name: "t" })).rejects.toMatchObject({
    code: "time_exhausted",
    pending: { round: 2, answers: { q: { action: "accept" } } },
  });
  await client.close();
  expect(server.requests).toHaveLength(2);
});

test("what people take is counted apart from what the server takes", async () => {
  const clock = new FakeClock();
  const server = await scripted((_request, index) =>
    index < 3 ? ask({ [`q${index}`]: form("?") }, "s") : text("done"),
  );
  const answering: number[] = [];
  const client = await open(server.url, clock, {
    limits: { totalTime: 1_000 },
    answer: {
      form: async () => {
        clock.advance(3_600_000);
        await setImmediate();
        return { action: "accept" };
      },
    },
    onRound: (round) => answering.push(round.answering),
  });
  await client.callTool({ name: "t" });
  await client.close();
  expect(answering).toEqual([0, 3_600_000, 3_600_000, 3_600_000]);
});

test("answers have a time of their own, where the host sets one", async () => {
  const clock = new FakeClock();
  const server = await scripted(() => ask({ q: form("?") }, "s"));
  let reason: unknown;
  const client = await open(server.url, clock, {
    limits: { answerTime: 90_000 },
    answer: {
      form: (_question, { signal }) =>
        new Promise(() => {
          signal.addEventListener("abort", () => {
            reason = signal.reason;
          });
        }),
    },
  });
  const calling = client.callTool({ name: "t" });
  const failed = expect(calling).rejects.toMatchObject({
    code: "time_exhausted",
    pending: { requestState: "s" },
  });
  clock.advance(await clock.set(90_000, 90_000));
  await failed;
  await client.close();
  expect(reason).toMatchObject({ code: "time_exhausted" });
  expect(server.requests).toHaveLength(1);
});

describe("a server that does not answer", () => {
  test("is given a minute for each request; then the connection is closed", async () => {
    const clock = new FakeClock();
    const server = await scripted(() => never);
    const client = await open(server.url, clock);
    const failed = expect(client.callTool({ name: "t" })).rejects.toMatchObject({
      code: "timeout",
    });
    await until(() => server.requests.length === 1);
    clock.advance(await clock.set(60_000, 60_000));
    await failed;
    await server.requests[0]?.gone;
    await client.close();
    expect(server.requests).toHaveLength(1);
  });

  test("is given what the client, or the call, says", async () => {
    const clock = new FakeClock();
    const server = await scripted(() => never);
    const client = await open(server.url, clock, { timeout: 5_000 });
    for (const [options, ms] of [
      [{}, 5_000],
      [{ timeout: 7 }, 7],
    ] as const) {
      const failed = expect(client.callTool({ name: "t" }, options)).rejects.toMatchObject({
        code: "timeout",
      });
      clock.advance(await clock.set(ms, ms));
      await failed;
    }
    await client.close();
  });

  test("in a later round gets no more than what is left of the call's time", async () => {
    const clock = new FakeClock();
    const server = await scripted((_request, index) => (index === 0 ? ask(undefined, "s") : never));
    const client = await open(server.url, clock, { limits: { totalTime: 10_000 } });
    const failed = expect(client.callTool({ name: "t" })).rejects.toMatchObject({
      code: "timeout",
    });
    const pause = await clock.set(250, 300);
    clock.advance(pause);
    clock.advance(await clock.set(10_000 - pause, 10_000 - pause));
    await failed;
    await client.close();
  });
});

test.each([
  ["rounds", 0],
  ["totalTime", -1],
  ["answerTime", Number.NaN],
  ["responseSize", "1" as unknown as number],
])("limits.%s may not be %j", async (name, value) => {
  await expect(connect("http://127.0.0.1:1/", { limits: { [name]: value } })).rejects.toThrow(
    RangeError,
  );
});

test.each([0, -1, Number.NaN])("a time-out may not be %j", async (timeout) => {
  await expect(connect("http://127.0.0.1:1/", { timeout })).rejects.toThrow(RangeError);
  const server = await scripted(() => text("done"));
  const client = await connect(server.url);
  await expect(client.callTool({ name: "t" }, { timeout })).rejects.toThrow(RangeError);
  await client.close();
  expect(server.requests).toEqual([]);
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await setImmediate();
}
