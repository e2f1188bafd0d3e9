import { describe, expect, it } from "vitest";
import { z } from "zod";
import { NotDone, createMcpServer, form, structured, text } from "../../src/entry/index.js";
import type { Call } from "../../src/entry/index.js";
import { accept, cancel, conditions, decline, rehearse } from "../../src/entry/testing.js";
import type { Condition, MakeServer } from "../../src/entry/testing.js";

/** A provider that counts, and can be asked what became of a charge. */
class Provider {
  readonly charges = new Map<string, number>();
  calls = 0;

  charge(idempotencyKey: string, amount: number): { receipt: string } {
    this.calls += 1;
    this.charges.set(idempotencyKey, amount);
    return { receipt: `r-${String(this.charges.size)}` };
  }

  find(idempotencyKey: string): { receipt: string } {
    if (!this.charges.has(idempotencyKey)) throw new NotDone("Nothing was charged");
    return { receipt: "r-1" };
  }
}

const amounts = z.object({ amount: z.number() });

function shop(provider: Provider): MakeServer {
  return (options) =>
    createMcpServer({ name: "shop", version: "1" }, options)
      .tool("pay", { inputSchema: amounts }, async ({ amount }, call) => {
        await call.ask("sure", form(`Pay ${String(amount)}?`));
        const { receipt } = await call.once(
          "charge",
          (effect) => provider.charge(effect.idempotencyKey, amount),
          { recover: (effect) => provider.find(effect.idempotencyKey) },
        );
        await call.ask("thanks", form("Anything else?"));
        return structured({ receipt });
      })
      .prompt("hello", {}, async (_, call) => {
        await call.ask("sure", form("Sure?"));
        return { messages: [{ role: "user", content: { type: "text", text: "hello" } }] };
      })
      .resource("note", "note://1", {}, async (_, call) => {
        await call.ask("sure", form("Sure?"));
        return "noted";
      });
}

const YES = { sure: accept(), thanks: accept() };

describe.each(conditions)("$name", (condition) => {
  it("charges once, whatever happens on the way", async () => {
    const provider = new Provider();
    const play = rehearse(shop(provider), condition);
    const result = await play.callTool({ name: "pay", arguments: { amount: 5 } }, YES);
    expect(result.structuredContent).toEqual({ receipt: "r-1" });
    expect(provider.calls).toBe(1);
    await play.close();
  });

  it("plays prompts and resources", async () => {
    const play = rehearse(shop(new Provider()), condition);
    const prompt = await play.getPrompt({ name: "hello" }, YES);
    expect(prompt.messages).toHaveLength(1);
    const { contents } = await play.readResource({ uri: "note://1" }, YES);
    expect(contents).toEqual([{ uri: "note://1", text: "noted" }]);
    await play.close();
  });
});

it.each([
  ["declined", decline()],
  ["cancelled", cancel()],
])("charges nothing when the user %s", async (outcome, sure) => {
  const provider = new Provider();
  const play = rehearse(shop(provider));
  const result = await play.callTool({ name: "pay", arguments: { amount: 5 } }, { sure });
  expect(result).toMatchObject({ isError: true, _meta: { "mcp-parley/outcome": outcome } });
  expect(provider.calls).toBe(0);
  await play.close();
});

it("without recover, a worker stopped inside the effect leaves it unknown and says so", async () => {
  let calls = 0;
  const make: MakeServer = (options) =>
    createMcpServer({ name: "shop", version: "1" }, options).tool("pay", {}, async (_, call) => {
      await call.ask("sure", form("Sure?"));
      await call.once("charge", () => void (calls += 1));
      return text("paid");
    });
  const play = rehearse(make, { name: "stopped", stopAt: "inside effect" });
  const result = await play.callTool({ name: "pay", arguments: {} }, YES);
  expect(result).toMatchObject({
    isError: true,
    _meta: { "mcp-parley/outcome": "effect_unknown" },
  });
  expect(calls).toBe(1);
  await play.close();
});

function rehearseTool(handler: (call: Call) => Promise<unknown>, condition?: Condition) {
  const make: MakeServer = (options) =>
    createMcpServer({ name: "t", version: "1" }, options).tool("t", {}, async (_, call) => {
      await handler(call);
      return text("done");
    });
  return rehearse(make, condition);
}

it("finds a swallowed suspension, and says where", async () => {
  const play = rehearseTool(async (call) => {
    try {
      await call.ask("sure", form("Sure?"));
    } catch {
      // the mistake
    }
  });
  await expect(play.callTool({ name: "t" }, YES)).rejects.toMatchObject({
    code: "finding",
    message: expect.stringMatching(
      /'sure' caught the suspension[^]*rehearsal\.test\.ts:\d+:\d+/,
    ) as string,
  });
  await play.close();
});

it("finds a question that changes from round to round", async () => {
  let round = 0;
  const play = rehearseTool((call) => call.ask("sure", form(`Sure, ${String((round += 1))}?`)));
  await expect(play.callTool({ name: "t" }, YES)).rejects.toMatchObject({
    code: "finding",
    message: expect.stringContaining("call.memo") as string,
  });
  await play.close();
});

it("moves time: a state does not outlive its time", async () => {
  const play = rehearse(shop(new Provider()));
  const late = () => {
    play.advance(11 * 60_000);
    return accept();
  };
  await expect(
    play.callTool({ name: "pay", arguments: { amount: 5 } }, { sure: late }),
  ).rejects.toMatchObject({ code: "rpc", rpcCode: -32602, data: { reason: "expired" } });
  await play.close();
});

it("names the question a script has no answer for", async () => {
  const play = rehearse(shop(new Provider()));
  await expect(play.callTool({ name: "pay", arguments: { amount: 5 } })).rejects.toMatchObject({
    code: "answer_missing",
    message: "The script has no answer for 'sure'",
  });
  await play.close();
});

it("keeps two calls' scripts apart", async () => {
  const play = rehearse(shop(new Provider()));
  const [yes, no] = await Promise.all([
    play.callTool({ name: "pay", arguments: { amount: 1 } }, YES),
    play.callTool({ name: "pay", arguments: { amount: 2 } }, { sure: decline() }),
  ]);
  expect(yes.isError).toBeUndefined();
  expect(no.isError).toBe(true);
  await play.close();
});

describe("who calls in a rehearsal", () => {
  const make: MakeServer = (options) =>
    createMcpServer({ name: "scoped", version: "1" }, options).tool(
      "erase",
      { scopes: ["write"] },
      async (_, call) => {
        await call.ask("sure", form("Sure?"));
        return text(call.principal?.subject ?? "nobody");
      },
    );

  it("is whom the author names, with its scopes, in every round", async () => {
    const ada = { issuer: "i", subject: "ada", scopes: ["write"] };
    const play = rehearse(make, undefined, ada);
    const { content } = await play.callTool({ name: "erase" }, { sure: accept() });
    expect(content).toEqual([{ type: "text", text: "ada" }]);
    await play.close();
  });

  it("is nobody, where none is named", async () => {
    const play = rehearse(make);
    await expect(play.callTool({ name: "erase" })).rejects.toMatchObject({ rpcCode: 1005 });
    await play.close();
  });
});
