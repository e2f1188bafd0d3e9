import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMcpServer, form, text } from "../../src/entry/index.js";
import { newKeyText } from "../../src/state/key-text.js";
import { request } from "../support/caller.js";
import { headersOf } from "../support/hosts.js";
import type { Wire } from "../support/hosts.js";
import { ALICE, MALLORY, RENT, bank, begin, lastRound, open, refusals, scene } from "./bank.js";
import type { Door, Raw, Scene } from "./bank.js";

/** Attacks that learn something: from errors, from time, from logs. */
let at: Scene;
let door: Door;
const doors: Door[] = [];

async function opened(...of: Parameters<typeof bank>): Promise<Door> {
  const made = await open(bank(...of));
  doors.push(made);
  return made;
}

beforeEach(async () => {
  at = scene();
  door = await opened(at);
});
afterEach(async () => {
  await Promise.all(doors.splice(0).map((each) => each.close()));
});

describe("an oracle", () => {
  it("is not to be had from errors: every state that fails gets the same bytes", async () => {
    const last = await lastRound(door, RENT, ALICE);
    const own = await lastRound(door, RENT, MALLORY);
    const state = last["requestState"] as string;
    const elsewhere = await opened({ ...at, keys: newKeyText() });
    const unknown = await lastRound(elsewhere, RENT, MALLORY);
    const casino = await opened(at, {}, "casino");
    const audience = await lastRound(casino, RENT, MALLORY);
    const tried: Record<string, Wire> = {
      state_principal: last,
      state_request: { ...own, name: "refund" },
      state_unknown_key: { ...own, requestState: unknown["requestState"] },
      state_audience: { ...own, requestState: audience["requestState"] },
      state_forged: { ...own, requestState: `${state.slice(0, -8)}AAAAAAAA` },
      state_malformed: { ...own, requestState: "junk" },
      state_too_large: { ...own, requestState: "p1.".padEnd(1 << 20, "A") },
    };
    const answers: Raw[] = [];
    for (const params of Object.values(tried)) {
      const message = { ...request("tools/call", params), id: 1 };
      answers.push(await door.knock(JSON.stringify(message), headersOf(message, MALLORY)));
    }
    expect(refusals(at)).toEqual(Object.keys(tried));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]?.text).toBe(
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid or expired requestState"}}',
    );
  });

  it("is not to be had from time running out: only its owner hears that a state has expired", async () => {
    const last = await lastRound(door, RENT, ALICE);
    at.clock.jump(60 * 60_000);
    const [theirs, moved, owners] = [
      await door.call(last, MALLORY),
      await door.call({ ...last, name: "refund" }, ALICE),
      await door.call(last, ALICE),
    ];
    expect(theirs.error).not.toHaveProperty("data");
    expect(moved.error).toEqual(theirs.error);
    expect(owners.error).toMatchObject({ data: { reason: "expired" } });
  });

  it("is not to be had from use: only its owner hears that a state was spent", async () => {
    const last = await lastRound(door, RENT, ALICE);
    await door.call(last, ALICE);
    const { error } = await door.call({ ...last, inputResponses: {} }, MALLORY);
    expect(error).not.toHaveProperty("data");
    const owners = await door.call({ ...last, inputResponses: {} }, ALICE);
    expect(owners.error).toMatchObject({ data: { reason: "spent" } });
  });

  it("is not to be had from timing a comparison: what is secret is compared in constant time", async () => {
    const compared: number[] = [];
    const { timingSafeEqual } = crypto;
    crypto.timingSafeEqual = (a, b) => {
      compared.push(a.byteLength);
      return timingSafeEqual(a, b);
    };
    syncBuiltinESMExports();
    try {
      const last = await lastRound(door, RENT, ALICE);
      compared.length = 0;
      await door.call(last, MALLORY);
      // Of a stranger's state, the principal's tag alone.
      expect(compared).toHaveLength(1);
      compared.length = 0;
      await door.call({ ...last, name: "refund" }, ALICE);
      // Of one's own, the tag and the request's digest.
      expect(compared).toHaveLength(2);
    } finally {
      crypto.timingSafeEqual = timingSafeEqual;
      syncBuiltinESMExports();
    }
  });

  it("is not to be had from a state's length: it does not tell a yes from a no", async () => {
    const server = createMcpServer({ name: "poll", version: "1" }, { log: false, keys: at.keys });
    server.tool("vote", {}, async (_, call) => {
      await call.tryAsk("sure", form("For it?"));
      await call.ask("done", form("Done?"));
      return text("");
    });
    const poll = await open(server);
    doors.push(poll);
    const lengths = new Set<number>();
    for (const action of ["accept", "decline", "cancel"]) {
      const first = await begin(poll, { name: "vote", arguments: {} });
      const voted = { ...first, inputResponses: { sure: { action } } };
      const { result } = await poll.call(voted, ALICE);
      lengths.add((result?.["requestState"] as string).length);
    }
    expect(lengths.size).toBe(1);
  });
});

describe("a log", () => {
  const HOSTILE = [
    "statement://x\n2026-01-01 ERROR all money was stolen",
    "statement://x\r\u001b[2J\u001b]0;owned\u0007",
    "statement://\u009b31mred",
    "statement://\u202egnp.exe",
    "statement://a\u2028b\u0000c",
    `statement://${"long".repeat(1000)}`,
  ];

  it.each(HOSTILE)(
    "is written one plain line for each fault, whatever it is of (%#)",
    async (uri) => {
      // Over memory, since such a name does not fit into a header.
      const server = createMcpServer(
        { name: "logs", version: "1" },
        {
          keys: at.keys,
          log: { warn: () => undefined, error: (line) => void at.logged.push(line) },
        },
      );
      let broken: (() => void) | undefined = () => {
        throw new Error("broken");
      };
      server.resourceTemplate("any", "statement://{rest}", {}, () => {
        broken?.();
        return { contents: [] };
      });
      for (let time = 0; time < 2; time += 1) {
        await server.dispatch(request("resources/read", { uri }), {
          principal: undefined,
          signal: new AbortController().signal,
          notify: () => undefined,
        });
        broken = undefined;
      }
      server.close();
      const lines = at.logged.filter((line) => line.startsWith("resources/read"));
      expect(lines).toHaveLength(2);
      for (const line of lines) {
        expect(line).toMatch(/^[ -~…]+$/u);
        expect(line.length).toBeLessThan(2_000);
      }
    },
  );

  it("says nothing of an attacker's states, answers and names", async () => {
    const marked = { ...MALLORY, subject: "mallory-canary" };
    const last = await lastRound(
      door,
      { ...RENT, arguments: { to: "to-canary", amount: 1 } },
      marked,
    );
    await door.call({ ...last, requestState: "state-canary" }, marked);
    await door.call({ ...last, inputResponses: { memo: "answer-canary" } }, marked);
    await door.call(last, { ...marked, subject: "other-canary" });
    expect(refusals(at)).toHaveLength(2);
    expect(at.logged.join("\n")).not.toContain("canary");
    expect(JSON.stringify(at.events)).not.toContain("canary");
  });
});

describe("an error", () => {
  it("of a handler's tells the caller nothing of the server's insides", async () => {
    const first = await door.send(request("resources/read", { uri: "statement://broken" }), ALICE);
    const requestState = first.result?.["requestState"];
    const inputResponses = { sure: { action: "accept" } };
    const params = { uri: "statement://broken", requestState, inputResponses };
    const { error } = await door.send(request("resources/read", params), ALICE);
    expect(error).toEqual({ code: -32603, message: "Internal error" });
  });
});
