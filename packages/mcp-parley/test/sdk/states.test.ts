import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { accept, answer, decline, drive, request, send, textOf } from "../support/caller.js";
import { FakeClock } from "../support/fake-clock.js";
import type { Turn } from "../support/caller.js";
import type { Wire } from "../support/hosts.js";
import { sdkHost } from "../support/sdk-host.js";
import type { SdkHost } from "../support/sdk-host.js";
import { sdkWorld } from "../support/sdk-janitor.js";
import type { SdkWorld } from "../support/sdk-janitor.js";

const ALICE = { issuer: "https://id.example", subject: "alice", client: "c1" };
const BOB = { ...ALICE, subject: "bob" };

const DELETE = { name: "delete_branch", arguments: { branch: "old" } };
const WHY = accept({ reason: "merged" });
const ANSWERS = { sure: accept(), why: WHY };
const REFUSED = { code: -32602, message: "Invalid or expired requestState" };

let world: SdkWorld;
let host: SdkHost;

function open(...given: Parameters<typeof sdkWorld>): void {
  world = sdkWorld(...given);
  host = sdkHost(world.make);
}

beforeEach(() => open());
afterEach(async () => {
  await host.close();
  world.parley.close();
});

const call = (params: Wire, principal?: typeof ALICE): Promise<Turn> =>
  send(host, request("tools/call", params), principal);

/** Answers the first question; gives what the second round asked, and with what. */
async function second(principal?: typeof ALICE): Promise<{ first: Wire; state: string }> {
  const asked = await call(DELETE, principal);
  const first = answer(asked.result ?? {}, ANSWERS);
  const { result } = await call({ ...DELETE, ...first }, principal);
  return { first, state: result?.["requestState"] as string };
}

const refusals = (): unknown[] =>
  world.events.flatMap((event) => (event.type === "state_refused" ? [event.refusal] : []));

describe("a flow in a server of the SDK", () => {
  it("asks once each, does its effect once, and completes", async () => {
    const { last, asked } = await drive(host, "tools/call", DELETE, ANSWERS);
    expect(textOf(last)).toBe("Deleted old.");
    expect(asked).toEqual([["sure"], ["why"]]);
    expect(world.effects).toEqual(["delete_branch old: merged"]);
    expect(last.result?.["resultType"]).toBe("complete");
  });

  it("takes no answer to what it has not asked", async () => {
    const { result } = await call({ ...DELETE, inputResponses: ANSWERS });
    expect(Object.keys(result?.["inputRequests"] as Wire)).toEqual(["sure"]);
    expect(world.effects).toEqual([]);
  });
});

describe("a state that is refused above the handler", () => {
  it.each([
    ["cut", (state: string) => state.slice(0, -1)],
    ["with a space behind it", (state: string) => `${state} `],
    ["padded", (state: string) => `${state}=`],
    [
      "with one character changed",
      (state: string) => state.replace(/.$/, (c) => (c === "A" ? "B" : "A")),
    ],
    ["empty", () => ""],
    ["a number", () => 7],
    ["null", () => null],
    ["an object", () => ({})],
  ])("is a forged one: %s", async (_, forge) => {
    const { state } = await second();
    const { error } = await call({
      ...DELETE,
      inputResponses: { why: WHY },
      requestState: forge(state),
    });
    expect(error).toMatchObject(REFUSED);
    expect(world.effects).toEqual([]);
    // the honest one is as good as before
    const { result } = await call({ ...DELETE, inputResponses: { why: WHY }, requestState: state });
    expect(result).toMatchObject({ content: [{ text: "Deleted old." }] });
  });

  it("is another user's, told nothing, and its owner's goes on", async () => {
    const { state } = await second(ALICE);
    const params = { ...DELETE, inputResponses: { why: WHY }, requestState: state };
    for (const principal of [BOB, undefined, { ...ALICE, client: "c2" }]) {
      const { error } = await call(params, principal);
      expect(error).toEqual({ ...REFUSED, data: { reason: "invalid_request_state" } });
    }
    expect(refusals()).toEqual(["state_principal", "state_principal", "state_principal"]);
    expect(world.onerror).toContainEqual(expect.stringContaining("state_principal"));
    expect(textOf(await call(params, ALICE))).toBe("Deleted old.");
  });

  it("is one whose time is over, also by the flow's deadline", async () => {
    await host.close();
    world.parley.close();
    const clock = new FakeClock();
    open({ flow: { life: 60_000, deadline: 90_000 } }, { clock });
    const { state } = await second();
    await clock.advance(59_999);
    const next = await call({ ...DELETE, requestState: state });
    await clock.advance(1);
    const { error } = await call({ ...DELETE, requestState: state });
    expect(error).toMatchObject(REFUSED);
    await clock.advance(30_000);
    const late = next.result?.["requestState"];
    expect((await call({ ...DELETE, requestState: late })).error).toMatchObject(REFUSED);
    expect(refusals()).toEqual(["state_expired", "state_expired"]);
  });

  it("is one of another name", async () => {
    const { state } = await second();
    const other = sdkWorld({ name: "other" });
    const elsewhere = sdkHost(other.make);
    const params = { ...DELETE, inputResponses: { why: WHY }, requestState: state };
    const { error } = await send(elsewhere, request("tools/call", params));
    expect(error).toMatchObject(REFUSED);
    await elsewhere.close();
    other.parley.close();
  });

  it("comes with malformed answers, and is not spent by them", async () => {
    const { state } = await second();
    for (const bad of [7, null, [], { method: "elicitation/create", result: WHY }]) {
      const inputResponses = { why: bad };
      const { error } = await call({ ...DELETE, inputResponses, requestState: state });
      expect(error).toMatchObject(REFUSED);
    }
    expect(world.onerror).toContainEqual(expect.stringContaining("inputResponses are malformed"));
    const { result } = await call({ ...DELETE, inputResponses: { why: WHY }, requestState: state });
    expect(result).toMatchObject({ content: [{ text: "Deleted old." }] });
  });
});

describe("a state that is refused in the handler", () => {
  const refusedIn = (turn: Turn, reason = "refused"): void => {
    expect(turn.result).toMatchObject({
      content: [{ type: "text", text: "Invalid or expired requestState" }],
      isError: true,
      _meta: { "mcp-parley/outcome": reason },
    });
  };

  it.each([
    ["another branch", { name: "delete_branch", arguments: { branch: "main" } }],
    ["another tool", { name: "keep_branch", arguments: { branch: "old" } }],
  ])("is one moved to %s: a tool's error, and nothing happens", async (_, elsewhere) => {
    const { state } = await second();
    refusedIn(await call({ ...elsewhere, inputResponses: { why: WHY }, requestState: state }));
    expect(refusals()).toEqual(["state_request"]);
    expect(world.effects).toEqual([]);
  });

  it("is one moved to a prompt or a resource: a JSON-RPC error", async () => {
    const { state: requestState } = await second();
    const extra = { inputResponses: { sure: accept() }, requestState };
    const prompt = request("prompts/get", {
      name: "review",
      arguments: { branch: "old" },
      ...extra,
    });
    expect((await send(host, prompt)).error).toMatchObject(REFUSED);
    const resource = request("resources/read", { uri: "test://file/old", ...extra });
    expect((await send(host, resource)).error).toMatchObject(REFUSED);
    expect(refusals()).toEqual(["state_request", "state_request"]);
  });

  it("is one spent with other answers", async () => {
    const { first, state } = await second();
    expect(typeof state).toBe("string");
    refusedIn(await call({ ...DELETE, ...first, inputResponses: { sure: decline } }), "spent");
  });

  it("is one moved from one resource to another", async () => {
    const read = (uri: string, extra: Wire = {}) =>
      send(host, request("resources/read", { uri, ...extra }));
    const { result } = await read("test://file/a");
    const extra = answer(result ?? {}, { sure: accept() });
    expect((await read("test://file/b", extra)).error).toMatchObject(REFUSED);
    expect((await read("test://file/a", extra)).result).toMatchObject({
      contents: [{ text: "a" }],
    });
  });
});

describe("the same state again", () => {
  it("gets the same result and no second effect, in turn and at once", async () => {
    const { state } = await second();
    const params = { ...DELETE, inputResponses: { why: WHY }, requestState: state };
    const turns = await Promise.all(Array.from({ length: 5 }, () => call(params)));
    turns.push(await call(params));
    for (const { result } of turns) expect(result).toEqual(turns[0]?.result);
    expect(turns[0]?.result).toMatchObject({ content: [{ text: "Deleted old." }] });
    expect(world.effects).toHaveLength(1);
  });

  it("goes on in another process that shares keys and store", async () => {
    const { keys, store } = await import("../support/janitor.js").then(({ shared }) => shared());
    open({ keys, store });
    const { state } = await second(ALICE);
    const other = sdkWorld({ keys, store });
    const elsewhere = sdkHost(other.make);
    const params = { ...DELETE, inputResponses: { why: WHY }, requestState: state };
    const there = await send(elsewhere, request("tools/call", params), ALICE);
    expect(textOf(there)).toBe("Deleted old.");
    expect((await call(params, ALICE)).result).toEqual(there.result);
    expect([...world.effects, ...other.effects]).toHaveLength(1);
    await elsewhere.close();
    other.parley.close();
  });
});

describe("a server that was not given the hook", () => {
  it("keeps every promise but the error's shape", async () => {
    await host.close();
    world.parley.close();
    open({}, { hooked: false });
    const { last } = await drive(host, "tools/call", DELETE, ANSWERS);
    expect(textOf(last)).toBe("Deleted old.");
    const { state } = await second(ALICE);
    const params = { ...DELETE, inputResponses: { why: WHY }, requestState: state };
    for (const [requestState, principal] of [
      [`${state} `, ALICE],
      [state, BOB],
      [state, undefined],
    ] as const) {
      expect((await call({ ...params, requestState }, principal)).result).toMatchObject({
        content: [{ text: REFUSED.message }],
        isError: true,
      });
    }
    expect(world.effects).toHaveLength(1);
  });
});
