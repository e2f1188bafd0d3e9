import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  accept,
  answer,
  cancel,
  decline,
  drive,
  request,
  send,
  textOf,
} from "../support/caller.js";
import { hosts } from "../support/hosts.js";
import type { Host, Wire } from "../support/hosts.js";
import { janitor, newWorld, shared } from "../support/janitor.js";
import type { World } from "../support/janitor.js";

const call = (name: string, args: Wire = {}): Wire => ({ name, arguments: args });

const YES = { sure: accept({}), why: accept({ reason: "old" }) };

/** One body of flows over every transport; and again with every round on a fresh instance. */
describe.each(Object.keys(hosts))("%s", (transport) => {
  describe.each([
    ["one instance", false],
    ["every round on a fresh instance", true],
  ])("%s", (_, fresh) => {
    let host: Host;
    let world: World;

    beforeEach(async () => {
      world = newWorld();
      const parts = shared();
      const make = hosts[transport];
      if (make === undefined) throw new Error(transport);
      host = await make(() => janitor(world, parts), fresh);
    });

    afterEach(() => host.close());

    it("asks in a straight line, each question once, and the effect happens once", async () => {
      const { last, asked } = await drive(
        host,
        "tools/call",
        call("delete_branch", { branch: "old" }),
        YES,
      );
      expect(asked).toEqual([["sure"], ["why"]]);
      expect(textOf(last)).toBe("Deleted old: old");
      expect(world.effects).toHaveLength(1);
    });

    it("carries earlier answers on: three questions, four calls, only the current answer sent", async () => {
      const { last, asked, turns } = await drive(host, "tools/call", call("three"), {
        a: accept({ reason: "1" }),
        b: accept({ reason: "2" }),
        c: accept({ reason: "3" }),
      });
      expect(turns).toHaveLength(4);
      expect(asked).toEqual([["a"], ["b"], ["c"]]);
      expect(textOf(last)).toBe("1 2 3");
    });

    it("puts what is asked together in one round", async () => {
      const { last, asked } = await drive(host, "tools/call", call("together"), {
        one: accept({ reason: "x" }),
        two: accept({ colour: "red" }),
        three: accept({}),
      });
      expect(asked).toEqual([["one", "two", "three"]]);
      expect(last.result?.["structuredContent"]).toEqual({ one: "x", two: "red", three: true });
    });

    it("asks again only for what is missing", async () => {
      const first = await send(host, request("tools/call", call("together")));
      const partial = answer(first.result ?? {}, { two: accept({ colour: "red" }) });
      const second = await send(host, request("tools/call", { ...call("together"), ...partial }));
      expect(Object.keys(second.result?.["inputRequests"] as Wire)).toEqual(["one", "three"]);
      const rest = answer(second.result ?? {}, { one: accept({ reason: "x" }), three: accept() });
      const third = await send(host, request("tools/call", { ...call("together"), ...rest }));
      expect(third.result?.["structuredContent"]).toEqual({ one: "x", two: "red", three: true });
    });

    it.each([
      ["declined", decline],
      ["cancelled", cancel],
    ])("ends a tool's call that was %s, says which, and does nothing", async (outcome, given) => {
      const { last, asked } = await drive(
        host,
        "tools/call",
        call("delete_branch", { branch: "b" }),
        {
          sure: given,
        },
      );
      expect(asked).toEqual([["sure"]]);
      expect(last.result).toMatchObject({
        resultType: "complete",
        isError: true,
        _meta: { "mcp-parley/outcome": outcome },
      });
      expect(world.effects).toEqual([]);
    });

    it.each([
      ["declined", decline, 1001],
      ["cancelled", cancel, 1002],
    ])("ends a prompt and a resource that was %s with an error", async (outcome, given, code) => {
      const prompt = { name: "greeting", arguments: { topic: "tea" } };
      const { last } = await drive(host, "prompts/get", prompt, { tone: given });
      expect(last.error).toMatchObject({ code, data: { outcome } });
      const read = await drive(host, "resources/read", { uri: "plan://secret" }, { may: given });
      expect(read.last.error).toMatchObject({ code, data: { outcome } });
    });

    it("gives decline and cancel as values to who tries", async () => {
      const declined = await drive(host, "tools/call", call("choose"), { pick: decline });
      expect(textOf(declined.last)).toBe("no: decline");
      const cancelled = await drive(host, "tools/call", call("choose"), { pick: cancel });
      expect(textOf(cancelled.last)).toBe("no: cancel");
    });

    it("asks again, with the reason, when an accepted answer does not fit", async () => {
      const first = await send(host, request("tools/call", call("choose")));
      const wrong = answer(first.result ?? {}, { pick: accept({ colour: "blue" }) });
      const second = await send(host, request("tools/call", { ...call("choose"), ...wrong }));
      const again = second.result?.["inputRequests"] as { pick: { params: { message: string } } };
      expect(again.pick.params.message).toMatch(/^Pick\n\nThat answer does not fit\. colour: /);
      const right = answer(second.result ?? {}, { pick: accept({ colour: "green" }) });
      const third = await send(host, request("tools/call", { ...call("choose"), ...right }));
      expect(textOf(third)).toBe("green");
    });

    it("takes an answer that comes with the first call only where the question allows it", async () => {
      const early = { inputResponses: { user_name: accept({ name: "Ada" }), extra: accept() } };
      const ahead = await send(host, request("tools/call", { ...call("ahead"), ...early }));
      expect(textOf(ahead)).toBe("Hello Ada");
      const forged = { inputResponses: { sure: accept({}), why: accept({ reason: "x" }) } };
      const branch = call("delete_branch", { branch: "b" });
      const turn = await send(host, request("tools/call", { ...branch, ...forged }));
      expect(Object.keys(turn.result?.["inputRequests"] as Wire)).toEqual(["sure"]);
      expect(world.effects).toEqual([]);
    });

    it("runs the handler again each round, and what memo keeps once", async () => {
      const { last } = await drive(host, "tools/call", call("counting"), {
        a: accept(),
        b: accept(),
      });
      expect(last.result?.["structuredContent"]).toEqual({ at: 1 });
      expect(world.runs).toEqual({ handler: 3, memo: 1 });
    });

    it("lets the client hold the flow before anything happens to the world", async () => {
      const first = await send(host, request("tools/call", call("pay")));
      expect(first.result).toMatchObject({ resultType: "input_required" });
      expect(first.result).not.toHaveProperty("inputRequests");
      expect(world.effects).toEqual([]);
      const { last, asked } = await drive(host, "tools/call", call("pay"), { thanks: accept() });
      expect(asked).toEqual([[], ["thanks"]]);
      expect(last.result?.["structuredContent"]).toEqual({ receipt: 1 });
      expect(world.effects).toEqual(["charge"]);
    });

    it("gives the same result to the same round sent again, in turn and at once", async () => {
      const branch = call("delete_branch", { branch: "b" });
      const first = await send(host, request("tools/call", branch));
      const second = await send(
        host,
        request("tools/call", { ...branch, ...answer(first.result ?? {}, YES) }),
      );
      const last = { ...branch, ...answer(second.result ?? {}, YES) };
      const once = await send(host, request("tools/call", last));
      expect(textOf(once)).toBe("Deleted b: old");
      const again = await Promise.all(
        Array.from({ length: 5 }, () => send(host, request("tools/call", last))),
      );
      for (const turn of again) expect(turn.result).toEqual(once.result);
      expect(world.effects).toHaveLength(1);
    });

    it("refuses a spent state with other answers, and says so to its owner", async () => {
      const first = await send(host, request("tools/call", call("choose")));
      const red = answer(first.result ?? {}, { pick: accept({ colour: "red" }) });
      const taken = await send(host, request("tools/call", { ...call("choose"), ...red }));
      expect(textOf(taken)).toBe("red");
      const green = answer(first.result ?? {}, { pick: accept({ colour: "green" }) });
      const { error } = await send(host, request("tools/call", { ...call("choose"), ...green }));
      expect(error).toEqual({
        code: -32602,
        message: "Invalid or expired requestState",
        data: { reason: "spent" },
      });
    });

    it("refuses a state that was moved to other arguments, another tool, another method", async () => {
      const branch = call("delete_branch", { branch: "a" });
      const first = await send(host, request("tools/call", branch));
      const extra = answer(first.result ?? {}, YES);
      const moved = [
        request("tools/call", { ...call("delete_branch", { branch: "b" }), ...extra }),
        request("tools/call", { ...call("choose"), ...extra }),
        request("prompts/get", { name: "greeting", arguments: { topic: "x" }, ...extra }),
        request("resources/read", { uri: "plan://secret", ...extra }),
        request("tools/call", { ...call("plain"), ...extra }),
      ];
      for (const message of moved) {
        const { error } = await send(host, message);
        expect(error).toEqual({ code: -32602, message: "Invalid or expired requestState" });
      }
      const own = await send(host, request("tools/call", { ...branch, ...extra }));
      expect(own.result?.["resultType"]).toBe("input_required");
    });

    it("refuses another user's state, and lets its owner go on", async () => {
      const ann = { issuer: "https://id.example", subject: "ann", client: "app" };
      const bob = { ...ann, subject: "bob" };
      const first = await send(host, request("tools/call", call("choose")), ann);
      const extra = answer(first.result ?? {}, { pick: accept({ colour: "red" }) });
      for (const other of [bob, undefined, { ...ann, client: "other" }]) {
        const stolen = await send(
          host,
          request("tools/call", { ...call("choose"), ...extra }),
          other,
        );
        expect(stolen.error).toEqual({ code: -32602, message: "Invalid or expired requestState" });
      }
      const own = await send(host, request("tools/call", { ...call("choose"), ...extra }), ann);
      expect(textOf(own)).toBe("red");
    });

    it("steps back, with the old answers as defaults", async () => {
      const answers = ["one", "two"];
      const reviews = [false, true];
      const offered: unknown[] = [];
      const { last, asked } = await drive(host, "tools/call", call("wizard"), {
        first: (wire) => {
          const { requestedSchema } = wire["params"] as {
            requestedSchema: { properties: { reason: { default?: string } } };
          };
          offered.push(requestedSchema.properties.reason.default);
          return accept({ reason: answers.shift() });
        },
        review: () => accept({ ok: reviews.shift() }),
      });
      expect(asked).toEqual([["first"], ["review"], ["first"], ["review"]]);
      expect(offered).toEqual([undefined, "one"]);
      expect(textOf(last)).toBe("Used two");
    });

    it("asks a question that has changed again, once, and then gives up", async () => {
      const first = await send(host, request("tools/call", call("fickle")));
      world.mood = "cross";
      const one = answer(first.result ?? {}, { sure: accept() });
      const second = await send(host, request("tools/call", { ...call("fickle"), ...one }));
      expect(second.result?.["resultType"]).toBe("input_required");
      world.mood = "sad";
      const two = answer(second.result ?? {}, { sure: accept() });
      const third = await send(host, request("tools/call", { ...call("fickle"), ...two }));
      expect(third.result?.["isError"]).toBe(true);
      expect(world.events.map(({ type }) => type)).toContain("question_changed");
    });

    it("ends a flow whose run changes what came before an effect", async () => {
      const first = await send(host, request("tools/call", call("moody")));
      const one = answer(first.result ?? {}, { sure: accept() });
      const second = await send(host, request("tools/call", { ...call("moody"), ...one }));
      expect(world.effects).toEqual(["act"]);
      world.mood = "wild";
      const two = answer(second.result ?? {}, { after: accept() });
      const third = await send(host, request("tools/call", { ...call("moody"), ...two }));
      expect(third.result?.["isError"]).toBe(true);
      expect(world.effects).toEqual(["act"]);
    });

    it("ends a round at a checkpoint, without a question", async () => {
      const { last, asked } = await drive(host, "tools/call", call("stepped"));
      expect(asked).toEqual([[]]);
      expect(textOf(last)).toBe("passed");
      expect(world.runs["after checkpoint"]).toBe(1);
    });

    it("makes a link's address once and seals it", async () => {
      const { last } = await drive(host, "tools/call", call("sign_in"), {
        login: (wire) => {
          expect(wire).toMatchObject({ method: "elicitation/create", params: { mode: "url" } });
          return accept();
        },
      });
      expect(textOf(last)).toBe("signed in");
      expect(world.runs["url"]).toBe(1);
    });

    it("asks a model and for roots", async () => {
      const { last } = await drive(host, "tools/call", call("model"), {
        say: { role: "assistant", model: "m1", content: { type: "text", text: "hello" } },
        dirs: { roots: [{ uri: "file:///srv" }] },
      });
      expect(textOf(last)).toBe("m1 file:///srv");
    });

    it("serves prompts and resources the same way", async () => {
      const prompt = { name: "greeting", arguments: { topic: "tea" } };
      const got = await drive(host, "prompts/get", prompt, { tone: accept({ reason: "calm" }) });
      expect(got.last.result).toMatchObject({
        resultType: "complete",
        messages: [{ role: "user", content: { type: "text", text: "tea, calm" } }],
      });
      const read = await drive(host, "resources/read", { uri: "plan://secret" }, { may: accept() });
      expect(read.last.result).toMatchObject({
        resultType: "complete",
        contents: [{ uri: "plan://secret", mimeType: "text/plain", text: "the plan" }],
        ttlMs: 0,
        cacheScope: "private",
      });
      world.mood = "open";
      const direct = await drive(host, "resources/read", { uri: "plan://secret" });
      expect(direct.last.result).toMatchObject({ ttlMs: 60_000, cacheScope: "public" });
    });

    it("names exactly what the client has not declared, and does nothing", async () => {
      const bare = await drive(
        host,
        "tools/call",
        call("choose"),
        { pick: accept({ colour: "red" }) },
        {
          capabilities: { elicitation: {} },
        },
      );
      expect(textOf(bare.last)).toBe("red");
      const cases: [string, Wire, Wire][] = [
        ["choose", { elicitation: { url: {} } }, { elicitation: { form: {} } }],
        ["sign_in", { elicitation: {} }, { elicitation: { url: {} } }],
        ["model", { elicitation: { form: {} } }, { sampling: {} }],
      ];
      for (const [name, capabilities, requiredCapabilities] of cases) {
        const { error } = await send(host, request("tools/call", call(name), capabilities));
        expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities } });
      }
    });

    it("lets a retry that declares what was missing complete", async () => {
      const first = await send(host, request("tools/call", call("model")));
      const say = { role: "assistant", model: "m", content: { type: "text", text: "x" } };
      const one = answer(first.result ?? {}, { say });
      const poor = await send(
        host,
        request("tools/call", { ...call("model"), ...one }, { sampling: {} }),
      );
      expect(poor.error?.code).toBe(-32021);
      const rich = await send(host, request("tools/call", { ...call("model"), ...one }));
      expect(Object.keys(rich.result?.["inputRequests"] as Wire)).toEqual(["dirs"]);
    });

    it("reports progress and logs on the request's own stream, to who asked", async () => {
      const _meta = {
        progressToken: "p1",
        "io.modelcontextprotocol/logLevel": "info",
      };
      const loud = await send(host, request("tools/call", { ...call("noisy"), _meta }));
      expect(loud.notified.map((message) => message["method"])).toEqual([
        "notifications/progress",
        "notifications/message",
      ]);
      expect(loud.notified[0]?.["params"]).toMatchObject({
        progressToken: "p1",
        progress: 1,
        total: 2,
      });
      const quiet = await send(host, request("tools/call", call("noisy")));
      expect(quiet.notified).toEqual([]);
    });

    it("tells a handler's error to nobody, unless it is meant for the user", async () => {
      const broken = await send(host, request("tools/call", call("broken")));
      expect(broken.result?.["isError"]).toBe(true);
      expect(JSON.stringify(broken)).not.toContain("hunter2");
      const sorry = await send(host, request("tools/call", call("sorry")));
      expect(textOf(sorry)).toBe("There is no such branch. Try `main`.");
    });

    it("keeps parallel calls of one tool apart", async () => {
      const flows = await Promise.all(
        ["x", "y", "z"].map((branch) =>
          drive(host, "tools/call", call("delete_branch", { branch }), {
            sure: accept({}),
            why: accept({ reason: `because ${branch}` }),
          }),
        ),
      );
      expect(flows.map(({ last }) => textOf(last))).toEqual([
        "Deleted x: because x",
        "Deleted y: because y",
        "Deleted z: because z",
      ]);
    });
  });
});
