import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { accept, request } from "../support/caller.js";
import { headersOf } from "../support/hosts.js";
import type { Wire } from "../support/hosts.js";
import { MALLORY, RENT, bank, begin, lastRound, open, scene } from "./bank.js";
import type { Door, Scene } from "./bank.js";

/** Attacks with answers: nobody asked, to something else, or of a shape that is not expected. */
let at: Scene;
let door: Door;

beforeEach(async () => {
  at = scene();
  door = await open(bank(at));
});
afterEach(() => door.close());

const asked = (result: Wire | undefined): string[] =>
  Object.keys((result?.["inputRequests"] as Wire | undefined) ?? {});

const PROFILE: Wire = { name: "profile", arguments: {} };

describe("an answer to what was not asked", () => {
  it("sent along with the first call is not taken: the person is asked", async () => {
    const inputResponses = { sure: accept(), memo: accept({ memo: "x" }) };
    const { result } = await door.call({ ...RENT, inputResponses }, MALLORY);
    expect(asked(result)).toEqual(["sure"]);
    expect(at.moved).toEqual([]);
  });

  it("sent ahead of its question is not kept for it", async () => {
    const first = await begin(door, RENT, MALLORY);
    const { result } = await door.call(
      { ...first, inputResponses: { sure: accept(), memo: accept({ memo: "mine" }) } },
      MALLORY,
    );
    expect(asked(result)).toEqual(["memo"]);
    const last = { ...RENT, requestState: result?.["requestState"] };
    const { result: again } = await door.call(last, MALLORY);
    expect(asked(again)).toEqual(["memo"]);
    expect(at.given).toEqual([]);
  });

  it("does not replace an answer that was given before", async () => {
    const last = await lastRound(door, RENT, MALLORY);
    const both = {
      ...last,
      inputResponses: { sure: { action: "decline" }, memo: accept({ memo: "rent" }) },
    };
    const { result } = await door.call(both, MALLORY);
    expect(result).toHaveProperty("content");
    expect(at.moved).toEqual(["transfer 100 to landlord"]);
  });

  it("that its question takes up front counts on a first call alone", async () => {
    const details = accept({ name: "Ada" });
    const ahead = await door.call({ ...PROFILE, inputResponses: { details } }, MALLORY);
    expect(asked(ahead.result)).toEqual(["sure"]);
    const changed = {
      ...PROFILE,
      requestState: ahead.result?.["requestState"],
      inputResponses: { details: accept({ name: "Eve" }), sure: accept() },
    };
    const { result } = await door.call(changed, MALLORY);
    expect(result).toMatchObject({ content: [{ text: "Hello Ada." }] });
  });

  it("under a key of a kilobyte tells the operator no more than a key can be", async () => {
    const first = await begin(door, RENT, MALLORY);
    const key = "k".repeat(100_000);
    await door.call({ ...first, inputResponses: { [key]: accept() } }, MALLORY);
    const ignored = at.events.flatMap((event) =>
      event.type === "answer_ignored" ? [event.key.length] : [],
    );
    expect(ignored).toEqual([128]);
  });
});

describe("an answer of another kind", () => {
  it.each<[string, Wire]>([
    ["a model's", { role: "assistant", model: "m", content: { type: "text", text: "yes" } }],
    ["a list of roots", { roots: [] }],
  ])("%s, to a form, does not count: the form is put again", async (_, response) => {
    const first = await begin(door, RENT, MALLORY);
    const { result } = await door.call({ ...first, inputResponses: { sure: response } }, MALLORY);
    expect(asked(result)).toEqual(["sure"]);
  });

  it("a yes with content, to a link, gives the handler none of it", async () => {
    const connect = { name: "connect", arguments: {} };
    const first = await begin(door, connect, MALLORY);
    const login = accept({ account: "alice" });
    const { result } = await door.call({ ...first, inputResponses: { login } }, MALLORY);
    expect(result).toMatchObject({ content: [{ text: "Connected." }] });
  });
});

describe("an answer of a shape nobody expects", () => {
  const content = (json: string): Wire => JSON.parse(json) as Wire;

  it.each<[string, Wire]>([
    ["members the form does not have", content('{"name":"Ada","admin":true,"balance":1000000}')],
    ["a member named __proto__", content('{"name":"Ada","__proto__":["admin"]}')],
    ["a member named constructor", content('{"name":"Ada","constructor":"x"}')],
  ])("with %s gives the handler what was asked and nothing else", async (_, given) => {
    const { result } = await door.call(
      { ...PROFILE, inputResponses: { details: accept(given) } },
      MALLORY,
    );
    expect(result?.["resultType"]).toBe("input_required");
    for (const each of at.given) {
      expect(Object.keys(each as object)).toEqual(["name"]);
      expect(each).not.toHaveProperty("admin");
    }
    expect({}).not.toHaveProperty("admin");
  });

  it.each<[string, string]>([
    ["a no and a yes", '{"sure":{"action":"decline"},"sure":{"action":"accept"}}'],
    ["two actions", '{"sure":{"action":"decline","action":"accept"}}'],
    ["two spellings of one key", '{"sure":{"action":"decline"},"\\u0073ure":{"action":"accept"}}'],
  ])("that says %s is refused, and never taken for a yes", async (_, responses) => {
    const message = request("tools/call", {
      ...(await begin(door, RENT, MALLORY)),
      inputResponses: {},
    });
    const body = JSON.stringify(message).replace(
      '"inputResponses":{}',
      `"inputResponses":${responses}`,
    );
    const { text } = await door.knock(body, headersOf(message, MALLORY));
    expect(JSON.parse(text)).toMatchObject({ error: { code: -32600 } });
  });

  it.each<[string, unknown]>([
    ["a yes in capitals", { sure: { action: "ACCEPT" } }],
    ["a yes that is true", { sure: { action: true } }],
    ["a list of actions", { sure: { action: ["accept"] } }],
    ["no object", { sure: "accept" }],
    ["a list", [accept()]],
    ["content that is a list", { sure: { action: "accept", content: [] } }],
    [
      "more answers than may be asked",
      Object.fromEntries(
        Array(65)
          .fill(0)
          .map((_, n) => [`k${String(n)}`, accept()]),
      ),
    ],
  ])("%s is refused whole, spends nothing, and the honest answer still counts", async (_, bad) => {
    const first = await begin(door, RENT, MALLORY);
    const refused = await door.call({ ...first, inputResponses: bad }, MALLORY);
    expect(refused.error).toMatchObject({
      code: -32602,
      message: expect.stringMatching(/^Invalid inputResponses: /) as string,
    });
    expect(asked((await door.call(first, MALLORY)).result)).toEqual(["memo"]);
  });

  it("nested a thousand deep is refused by the parser", async () => {
    const first = await begin(door, RENT, MALLORY);
    const deep = JSON.parse('{"a":'.repeat(1000) + "1" + "}".repeat(1000)) as Wire;
    const { error } = await door.call(
      { ...first, inputResponses: { sure: accept(deep) } },
      MALLORY,
    );
    expect(error).toMatchObject({ code: -32600 });
  });

  it("too large for a state ends the call, before anything happens to the world", async () => {
    const last = await lastRound(door, RENT, MALLORY);
    const memo = accept({ memo: "x".repeat(1_000_000) });
    const { result } = await door.call({ ...last, inputResponses: { memo } }, MALLORY);
    expect(result).toMatchObject({ isError: true });
    expect(at.moved).toEqual([]);
  });
});
