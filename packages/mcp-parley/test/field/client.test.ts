import { expect, it } from "vitest";
import { connect } from "../../src/entry/client-node.js";
import { scripted } from "../client/scripted.js";

/** Faults that people met in other clients, by name; each is a kind that cannot happen here. */
const FORM = {
  method: "elicitation/create",
  params: { message: "Sure?", requestedSchema: { type: "object", properties: {} } },
};
const DONE = { resultType: "complete", content: [{ type: "text", text: "done" }] };
const YES = { form: () => ({ action: "accept" as const }) };

it("a state-only result is not taken for a complete one", async () => {
  const server = await scripted((_, index) =>
    index === 0
      ? { result: { resultType: "input_required", requestState: "s1" } }
      : { result: DONE },
  );
  const client = await connect(server.url, { answer: YES });
  expect(await client.callTool({ name: "t" })).toMatchObject({ content: DONE.content });
  expect(server.requests[1]?.params.requestState).toBe("s1");
  expect(server.requests[1]?.params).not.toHaveProperty("inputResponses");
  await client.close();
});

it("state is neither altered, nor dropped, nor invented", async () => {
  const state = `${'"'.repeat(4096)}\u0000👩‍👩‍👧‍👦 `;
  const server = await scripted((_, index) => {
    const inputRequests = { sure: FORM };
    if (index === 0)
      return { result: { resultType: "input_required", inputRequests, requestState: state } };
    if (index === 1) return { result: { resultType: "input_required", inputRequests } };
    return { result: DONE };
  });
  const client = await connect(server.url, { answer: YES });
  await client.callTool({ name: "t" });
  expect(server.requests[1]?.params.requestState).toBe(state);
  expect(server.requests[2]?.params).not.toHaveProperty("requestState");
  await client.close();
});

it("a stale requestState in the caller's own params is not sent", async () => {
  const server = await scripted(() => ({ result: DONE }));
  const client = await connect(server.url, { answer: YES });
  const call = { name: "t", requestState: "stale", inputResponses: { sure: { action: "accept" } } };
  await client.callTool(call);
  expect(server.requests[0]?.params).not.toHaveProperty("requestState");
  expect(server.requests[0]?.params).not.toHaveProperty("inputResponses");
  await client.close();
});

it("a result without resultType, from an earlier revision, is complete", async () => {
  const server = await scripted(() => ({ result: { content: DONE.content } }));
  const client = await connect(server.url);
  expect(await client.callTool({ name: "t" })).toMatchObject({ content: DONE.content });
  await client.close();
});

it("a list that asks is rejected", async () => {
  const server = await scripted(() => ({
    result: { resultType: "input_required", inputRequests: { sure: FORM }, requestState: "s" },
  }));
  const client = await connect(server.url, { answer: YES });
  await expect(client.listTools().all()).rejects.toMatchObject({ code: "result_invalid" });
  expect(server.requests).toHaveLength(1);
  await client.close();
});

it("a question nobody can answer is a clear error at once, and nothing more is sent", async () => {
  const server = await scripted(() => ({
    result: { resultType: "input_required", inputRequests: { sure: FORM }, requestState: "s" },
  }));
  const client = await connect(server.url);
  await expect(client.callTool({ name: "t" })).rejects.toMatchObject({
    code: "answer_missing",
    message: expect.stringContaining("sure") as string,
  });
  expect(server.requests).toHaveLength(1);
  await client.close();
});

it("an abort in a round ends the call, and nothing more is sent", async () => {
  const server = await scripted(() => ({
    result: { resultType: "input_required", inputRequests: { sure: FORM }, requestState: "s" },
  }));
  const controller = new AbortController();
  const client = await connect(server.url, {
    answer: {
      form: () => {
        controller.abort();
        return { action: "accept" };
      },
    },
  });
  const call = client.callTool({ name: "t" }, { signal: controller.signal });
  await expect(call).rejects.toMatchObject({ code: "aborted" });
  expect(server.requests).toHaveLength(1);
  await client.close();
});

it.each(["Załączniki/raport.pdf", "=?base64?abc?="])(
  "the name %s survives its header",
  async (name) => {
    const server = await scripted(() => ({ result: DONE }));
    const client = await connect(server.url);
    await client.callTool({ name });
    const header = String(server.requests[0]?.headers["mcp-name"]);
    expect(header).toMatch(/^=\?base64\?[\w+/=]+\?=$/);
    expect(Buffer.from(header.slice(9, -2), "base64").toString()).toBe(name);
    await client.close();
  },
);

it.each([-32600, -32602, -32601])(
  "a server that answers the probe with %d is taken for an older one",
  async (code) => {
    const server = await scripted(
      () => ({ result: DONE }),
      () => ({ error: { code, message: "?" } }),
    );
    await expect(connect(server.url)).rejects.toMatchObject({ code: "legacy_server" });
  },
);

it("accepted content that breaks its schema is refused here, with the reason", async () => {
  const asksName = {
    method: "elicitation/create",
    params: {
      message: "Name?",
      requestedSchema: {
        type: "object",
        properties: { name: { type: "string", maxLength: 3 } },
        required: ["name"],
      },
    },
  };
  const server = await scripted(() => ({
    result: { resultType: "input_required", inputRequests: { who: asksName }, requestState: "s" },
  }));
  const client = await connect(server.url, {
    answer: { form: () => ({ action: "accept", content: { name: "far too long" } }) },
  });
  await expect(client.callTool({ name: "t" })).rejects.toMatchObject({
    code: "answer_invalid",
    message: expect.stringContaining("name") as string,
  });
  expect(server.requests).toHaveLength(1);
  await client.close();
});
