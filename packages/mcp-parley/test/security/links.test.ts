import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connect } from "../../src/entry/client-node.js";
import { createMcpServer, link, text } from "../../src/entry/index.js";
import type { McpServer } from "../../src/entry/index.js";
import { newKeyText } from "../../src/state/key-text.js";
import { readInputRequest } from "../../src/protocol/input-request.js";
import { ALICE, BOB, MALLORY, bank, begin, open, scene } from "./bank.js";
import type { Door, Scene } from "./bank.js";

/** Attacks by way of the page behind a link. `examples/sign-in.test.ts` plays one in a browser. */
const CONNECT = { name: "connect", arguments: {} };
let at: Scene;
let server: McpServer;
let door: Door;

beforeEach(async () => {
  at = scene();
  server = bank(at);
  door = await open(server);
});
afterEach(() => door.close());

/** A ticket that was made for Alice. */
async function aliceAsked(): Promise<string> {
  await begin(door, CONNECT, ALICE);
  return at.tickets.at(-1) ?? "";
}

describe("the ticket of a link", () => {
  it("sent on to somebody else opens for none of them", async () => {
    const ticket = await aliceAsked();
    for (const other of [MALLORY, BOB, undefined, { ...ALICE, issuer: "https://evil.example" }]) {
      expect(server.openTicket(ticket, other)).toEqual({ ok: false, refusal: "ticket_principal" });
    }
    expect(server.openTicket(ticket, ALICE)).toMatchObject({ ok: true, key: "login" });
  });

  it("of an attacker's own flow does not open for the victim who is lured to it", async () => {
    await begin(door, CONNECT, MALLORY);
    const refusal = "ticket_principal";
    expect(server.openTicket(at.tickets[0], ALICE)).toEqual({ ok: false, refusal });
  });

  it("used again by its owner says the same again, and after an hour nothing", async () => {
    const ticket = await aliceAsked();
    const first = server.openTicket(ticket, ALICE);
    expect(server.openTicket(ticket, ALICE)).toEqual(first);
    at.clock.jump(60 * 60_000);
    expect(server.openTicket(ticket, ALICE)).toEqual({ ok: false, refusal: "ticket_expired" });
    expect(server.openTicket(ticket, MALLORY)).toMatchObject({ refusal: "ticket_principal" });
  });

  it("of another server with the same keys, or under a disabled key, opens for nobody", async () => {
    const ticket = await aliceAsked();
    const casino = bank(at, {}, "casino");
    expect(casino.openTicket(ticket, ALICE)).toEqual({ ok: false, refusal: "ticket_audience" });
    const rotated = bank({ ...at, keys: newKeyText() });
    expect(rotated.openTicket(ticket, ALICE)).toEqual({ ok: false, refusal: "ticket_unknown_key" });
    casino.close();
    rotated.close();
  });

  it("that was made up, of markup, or a megabyte long is refused and not repeated", async () => {
    const ticket = await aliceAsked();
    for (const made of [
      '"><script>alert(1)</script>',
      "../../etc/passwd",
      `t1.${"A".repeat(1 << 20)}`,
      `${ticket}%00`,
      `${ticket}\r\nset-cookie: session=mine`,
      ["t1.AAAA"],
      { toString: () => ticket },
      null,
    ]) {
      expect(server.openTicket(made, ALICE)).toEqual({ ok: false, refusal: "ticket_malformed" });
    }
  });

  it("is all that stands in the link: no state, no answer, nobody's name", async () => {
    const { result } = await door.call(CONNECT, ALICE);
    const asked = JSON.stringify(result?.["inputRequests"]);
    expect(asked).toContain(at.tickets[0]);
    expect(asked).not.toContain(result?.["requestState"] as string);
    expect(asked).not.toContain("alice");
    expect(at.tickets[0]).toMatch(/^t1\.[\w-]+$/);
  });
});

describe("the address of a link", () => {
  const addresses = [
    "javascript:alert(document.cookie)",
    "JAVASCRIPT:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "file:///etc/passwd",
    "ssh://-oProxyCommand=calc",
    "//evil.example",
  ];

  it.each(addresses)("%s never leaves this library's servers", (address) => {
    expect(() => link("Open", address)).toThrow(
      expect.objectContaining({ code: "question_invalid" }),
    );
  });

  it("that carries credentials never leaves this library's servers", () => {
    expect(() => link("Open", "https://bank.example@evil.example/")).toThrow(
      expect.objectContaining({ code: "question_invalid" }),
    );
  });

  it.each(addresses)("%s from a hostile server never reaches this library's hosts", (url) => {
    const params = { mode: "url", message: "Open", url };
    expect(readInputRequest({ method: "elicitation/create", params })).toMatchObject({ ok: false });
  });

  it("is opened by a person alone: neither side of Parley fetches it", async () => {
    const visits: string[] = [];
    const trap = await open(
      createMcpServer({ name: "trap", version: "1" }, { log: false }).tool("t", {}, () => text("")),
      { authenticate: ({ url }) => void visits.push(url) },
    );
    const lure = await open(
      createMcpServer({ name: "lure", version: "1" }, { log: false }).tool(
        "lure",
        {},
        async (_, call) => {
          await call.ask("page", link("Open", `${trap.origin}/mcp`));
          return text("opened");
        },
      ),
    );
    const seen: unknown[] = [];
    const client = await connect(`${lure.origin}/mcp`, {
      answer: {
        url: (question) => {
          seen.push(question);
          return { action: "accept" };
        },
      },
    });
    const result = await client.callTool({ name: "lure" });
    expect(JSON.stringify(result)).toContain("opened");
    expect(JSON.stringify(seen)).toContain(trap.origin);
    expect(visits).toEqual([]);
    await client.close();
    await lure.close();
    await trap.close();
  });
});
