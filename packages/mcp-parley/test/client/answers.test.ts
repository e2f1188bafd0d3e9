import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { type About, type AnswerFunctions, connect } from "../../src/entry/client-node.js";
import { ask, form, scripted, text } from "./scripted.js";

const link = (message: string): unknown => ({
  method: "elicitation/create",
  params: { mode: "url", message, url: "https://pay.example/?ticket=1" },
});
const sampling = {
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: "Hi" } }], maxTokens: 10 },
};
const roots = { method: "roots/list" };

/** Plays one round of questions with these functions, and gives what was answered. */
async function answerWith(answer: AnswerFunctions, questions: unknown) {
  const server = await scripted((_request, index) => (index === 0 ? ask(questions) : text("done")));
  const client = await connect(server.url, { answer });
  const outcome = await client.callTool({ name: "t" }).catch((error: unknown) => error);
  await client.close();
  return {
    outcome,
    requests: server.requests,
    responses: server.requests[1]?.params.inputResponses,
  };
}

describe("what a client declares", () => {
  const form = () => ({ action: "decline" as const });
  const url = form;
  const sample = () => ({
    role: "assistant" as const,
    content: { type: "text" as const, text: "" },
    model: "m",
  });
  const roots = () => ({ roots: [] });
  test.each<[string, Parameters<typeof connect>[1], unknown]>([
    ["nothing", {}, {}],
    ["form", { answer: { form } }, { elicitation: { form: {} } }],
    ["url", { answer: { url } }, { elicitation: { url: {} } }],
    ["form and url", { answer: { form, url } }, { elicitation: { form: {}, url: {} } }],
    ["a model", { answer: { sample } }, { sampling: {} }],
    [
      "a model with tools",
      { answer: { sample }, capabilities: { sampling: { tools: {} } } },
      { sampling: { tools: {} } },
    ],
    ["roots", { answer: { roots } }, { roots: {} }],
    [
      "what the host answers itself",
      { capabilities: { elicitation: {}, extensions: { "com.example/x": {} } } },
      { elicitation: { form: {} }, extensions: { "com.example/x": {} } },
    ],
    [
      "both together",
      { answer: { url }, capabilities: { elicitation: {} } },
      { elicitation: { form: {}, url: {} } },
    ],
  ])("%s", async (_name, options, declared) => {
    const server = await scripted(() => text("done"));
    const client = await connect(server.url, options);
    await client.callTool({ name: "t" });
    await client.close();
    for (const { params } of server.all) {
      expect(params._meta["io.modelcontextprotocol/clientCapabilities"]).toEqual(declared);
    }
  });
});

test("every kind of question reaches its function, and its answer the server, bare", async () => {
  const abouts: Record<string, About> = {};
  const seen: Record<string, unknown> = {};
  const note = (question: unknown, about: About): void => {
    seen[about.key] = question;
    abouts[about.key] = about;
  };
  const sampled = {
    role: "assistant" as const,
    content: [
      { type: "text" as const, text: "I call a tool" },
      { type: "tool_use" as const, id: "1", name: "x", input: {} },
    ],
    model: "m",
    stopReason: "toolUse",
  };
  const { responses, requests } = await answerWith(
    {
      form: (question, about) => (note(question, about), { action: "accept", content: { n: 1 } }),
      url: (question, about) => (note(question, about), { action: "accept" }),
      sample: (question, about) => (note(question, about), sampled),
      roots: (question, about) => (note(question, about), { roots: [{ uri: "file:///a" }] }),
    },
    {
      f: form("Number?", { n: { type: "integer" } }),
      u: link("Pay"),
      s: sampling,
      r: roots,
    },
  );
  expect(responses).toEqual({
    f: { action: "accept", content: { n: 1 } },
    u: { action: "accept" },
    s: sampled,
    r: { roots: [{ uri: "file:///a" }] },
  });
  expect(seen["f"]).toMatchObject({
    message: "Number?",
    requestedSchema: { properties: { n: { type: "integer" } } },
  });
  expect(seen["u"]).toEqual({ mode: "url", message: "Pay", url: "https://pay.example/?ticket=1" });
  expect(seen["s"]).toEqual(sampling.params);
  expect(abouts["f"]).toMatchObject({
    method: "tools/call",
    name: "t",
    key: "f",
    round: 1,
    server: { address: expect.stringMatching(/^http:\/\/127/) as string, name: "scripted" },
  });
  expect(requests).toHaveLength(2);
});

test("decline and cancel go out without content", async () => {
  const { responses } = await answerWith(
    {
      form: (_question, { key }) => ({
        action: key === "a" ? "decline" : "cancel",
        content: { n: "leftover" },
      }),
      url: () => ({ action: "decline", content: { n: 1 } }),
    },
    { a: form("?"), b: form("?"), c: link("?") },
  );
  expect(responses).toEqual({
    a: { action: "decline" },
    b: { action: "cancel" },
    c: { action: "decline" },
  });
});

test("a link's accept goes out without content, and nobody fetches the URL", async () => {
  const page = await scripted(() => text("never"));
  const { responses } = await answerWith(
    { url: () => ({ action: "accept", content: { token: "secret" } }) },
    { u: { method: "elicitation/create", params: { mode: "url", message: "?", url: page.url } } },
  );
  expect(responses).toEqual({ u: { action: "accept" } });
  expect(page.all).toEqual([]);
});

test("a form without a mode is a form", async () => {
  const { responses } = await answerWith(
    { form: () => ({ action: "accept" }) },
    {
      q: {
        method: "elicitation/create",
        params: { message: "?", requestedSchema: { type: "object", properties: {} } },
      },
    },
  );
  expect(responses).toEqual({ q: { action: "accept", content: {} } });
});

describe("accepted content", () => {
  const schema = {
    name: { type: "string", minLength: 2 },
    size: { type: "integer", default: 3 },
    colour: { type: "string", enum: ["red", "green"], default: "red" },
  };

  test("is sent with the defaults of the fields that are missing", async () => {
    const { responses } = await answerWith(
      { form: () => ({ action: "accept", content: { name: "Bo", colour: "green" } }) },
      { q: form("?", schema, ["name", "size"]) },
    );
    expect(responses?.["q"]).toEqual({
      action: "accept",
      content: { name: "Bo", size: 3, colour: "green" },
    });
  });

  test.each<[string, Record<string, unknown>, string]>([
    ["too short", { name: "B" }, "name"],
    ["missing", {}, "name"],
    ["of another type", { name: "Bo", size: "3" }, "size"],
    ["none of the choices", { name: "Bo", colour: "blue" }, "colour"],
  ])("that is %s is refused here, by field, and nothing is sent", async (_name, content, field) => {
    const { outcome, requests } = await answerWith(
      { form: () => ({ action: "accept", content: content as Record<string, string> }) },
      { q: form("?", schema, ["name"]) },
    );
    expect(outcome).toMatchObject({ code: "answer_invalid", key: "q" });
    expect((outcome as { issues: { field: string }[] }).issues.map((issue) => issue.field)).toEqual(
      [field],
    );
    expect(requests).toHaveLength(1);
  });

  test.each<[string, unknown]>([
    ["nothing", undefined],
    ["text", "accept"],
    ["an unknown action", { action: "maybe" }],
    ["content that is a list", { action: "accept", content: [] }],
  ])("and an answer that is %s too", async (_name, given) => {
    const { outcome, requests } = await answerWith(
      { form: () => given as { action: "accept" } },
      { q: form("?") },
    );
    expect(outcome).toMatchObject({ code: "answer_invalid", key: "q" });
    expect(requests).toHaveLength(1);
  });

  test("and so is a model's answer that is none, and a list of roots", async () => {
    const model = await answerWith(
      { sample: () => ({ action: "accept" }) as never },
      { s: sampling },
    );
    expect(model.outcome).toMatchObject({ code: "answer_invalid", key: "s" });
    const listed = await answerWith({ roots: () => ({ roots: "all" }) as never }, { r: roots });
    expect(listed.outcome).toMatchObject({ code: "answer_invalid", key: "r" });
  });
});

describe("several questions of one round", () => {
  test("people are asked one after another, in order; a model meanwhile", async () => {
    const events: string[] = [];
    let sampled = (): void => undefined;
    const sampling_ = new Promise<void>((resolve) => (sampled = resolve));
    const person = async (about: About): Promise<{ action: "accept" }> => {
      events.push(`${about.key} begins`);
      await sampling_;
      await setImmediate();
      events.push(`${about.key} ends`);
      return { action: "accept" };
    };
    await answerWith(
      {
        form: (_question, about) => person(about),
        url: (_question, about) => person(about),
        sample: () => {
          events.push("model");
          sampled();
          return { role: "assistant", content: { type: "text", text: "x" }, model: "m" };
        },
      },
      { one: form("1"), two: link("2"), three: sampling, four: form("4") },
    );
    expect(events).toEqual([
      "one begins",
      "model",
      "one ends",
      "two begins",
      "two ends",
      "four begins",
      "four ends",
    ]);
  });

  test("the first function that fails aborts the others, and the call rejects with what it threw", async () => {
    const failure = new Error("the window was closed");
    let siblingReason: unknown;
    const asked: string[] = [];
    const { outcome, requests } = await answerWith(
      {
        form: async (_question, { key }) => {
          asked.push(key);
          await setImmediate();
          throw failure;
        },
        sample: (_question, { signal }) =>
          new Promise(() => {
            signal.addEventListener("abort", () => {
              siblingReason = signal.reason;
            });
          }),
      },
      { a: form("?"), b: form("?"), s: sampling },
    );
    expect(outcome).toBe(failure);
    expect(siblingReason).toBe(failure);
    expect(asked).toEqual(["a"]);
    expect(requests).toHaveLength(1);
  });

  test("a sibling that fails in its turn is nobody's problem", async () => {
    const failure = new Error("first");
    const { outcome } = await answerWith(
      {
        form: () => {
          throw failure;
        },
        sample: (_question, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener("abort", () => reject(new Error("second")));
          }),
      },
      { a: form("?"), s: sampling },
    );
    expect(outcome).toBe(failure);
  });
});
