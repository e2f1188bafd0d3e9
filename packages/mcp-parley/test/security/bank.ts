import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import { createMcpServer, form, link, text } from "../../src/entry/index.js";
import type { McpServer, ParleyEvent, Principal, ServerOptions } from "../../src/entry/index.js";
import { INSTRUMENTS } from "../../src/flow/instruments.js";
import { newKeyText } from "../../src/state/key-text.js";
import { memoryStore } from "../../src/store/memory.js";
import type { Store } from "../../src/store/store.js";
import type { HttpOptions } from "../../src/transport/http-policy.js";
import { toNodeHandler } from "../../src/transport/node-http.js";
import { accept, answer, request } from "../support/caller.js";
import type { Turn } from "../support/caller.js";
import { FakeClock } from "../support/fake-clock.js";
import { headersOf } from "../support/hosts.js";
import type { Wire } from "../support/hosts.js";

/** The victim, the attacker, and a colleague of the victim's who uses the same client. */
export const ALICE: Principal = { issuer: "https://id.example", subject: "alice", client: "app" };
export const MALLORY: Principal = { issuer: "https://id.example", subject: "mallory" };
export const BOB: Principal = { ...ALICE, subject: "bob" };

/** All that a client ever hears of a state that fails. */
export const REFUSED = { code: -32602, message: "Invalid or expired requestState" };

export const YES = { sure: accept(), memo: accept({ memo: "rent" }) };

/** Where the attacks take place: what the bank shares between its instances, and what it saw. */
export interface Scene {
  readonly keys: string;
  readonly store: Store;
  readonly clock: FakeClock;
  /** Money that moved. */
  readonly moved: string[];
  /** What handlers were given as answers. */
  readonly given: unknown[];
  readonly tickets: string[];
  readonly events: ParleyEvent[];
  readonly logged: string[];
}

export function scene(): Scene {
  const clock = new FakeClock();
  const store = memoryStore({}, () => clock.now());
  const lists = { moved: [], given: [], tickets: [], events: [], logged: [] };
  return { keys: newKeyText(), store, clock, ...lists };
}

const TRANSFER = z.object({ to: z.string(), amount: z.number(), note: z.string().optional() });

/** A server whose answers are worth money, as its author would write it. */
export function bank(at: Scene, options: ServerOptions = {}, name = "bank"): McpServer {
  const { keys, store, clock } = at;
  const log = (message: string): void => void at.logged.push(message);
  const server = createMcpServer(
    { name, version: "1" },
    {
      keys,
      store,
      log: { warn: log, error: log },
      onEvent: (event) => at.events.push(event),
      [INSTRUMENTS]: { clock },
      ...options,
    },
  );
  for (const tool of ["transfer", "refund"]) {
    server.tool(tool, { inputSchema: TRANSFER }, async ({ to, amount }, call) => {
      await call.ask("sure", form(`Send ${String(amount)} to ${to}?`));
      const { memo } = await call.ask("memo", form("Memo?", z.object({ memo: z.string() })));
      at.given.push(memo);
      await call.once("move", () => void at.moved.push(`${tool} ${String(amount)} to ${to}`));
      return text(`Sent ${String(amount)} to ${to}.`);
    });
  }
  const salient = { flow: { salient: ["to", "amount"] } };
  server.tool("noted", { inputSchema: TRANSFER, ...salient }, async ({ to, amount }, call) => {
    await call.ask("sure", form(`Send ${String(amount)} to ${to}?`));
    await call.once("move", () => void at.moved.push(`${String(amount)} to ${to}`));
    return text(`Sent ${String(amount)} to ${to}.`);
  });
  for (const scope of ["server", "principal"] as const) {
    const inputSchema = z.object({ invoice: z.string() });
    server.tool(`pay_per_${scope}`, { inputSchema }, async ({ invoice }, call) => {
      await call.ask("sure", form(`Pay ${invoice}?`));
      const per = { key: invoice, scope, keepFor: 24 * 60 * 60_000 };
      const pay = (): { receipt: string } => {
        at.moved.push(invoice);
        return { receipt: `receipt of ${call.principal?.subject ?? "nobody"}` };
      };
      return text((await call.once("pay", pay, { per })).receipt);
    });
  }
  server.tool("profile", {}, async (_, call) => {
    const details = z.object({ name: z.string().max(80) });
    const content = await call.ask("details", form("Who are you?", details, { upFront: true }));
    at.given.push(content);
    await call.ask("sure", form(`Are you ${content.name}?`));
    return text(`Hello ${content.name}.`);
  });
  server.tool("connect", {}, async (_, call) => {
    const page = (ticket: string): string => {
      at.tickets.push(ticket);
      return `https://bank.example/connect?ticket=${ticket}`;
    };
    await call.ask("login", link("Connect your account", page));
    return text("Connected.");
  });
  server.tool("top_up", {}, async (_, call) => {
    const wish = z.object({ amount: z.number() });
    const { amount } = await call.ask("wish", form("How much?", wish));
    await call.once("move", () => void at.moved.push(String(amount)));
    await call.ask("receipt", link("Your receipt", "https://bank.example/receipt"));
    return text(`Credited ${String(amount)}.`);
  });
  const letter = { argsSchema: z.object({ to: z.string() }) };
  server.prompt("transfer", letter, async ({ to }, call) => {
    await call.ask("sure", form(`Write to ${to}?`));
    return { messages: [{ role: "user", content: { type: "text", text: to } }] };
  });
  server.resourceTemplate("statement", "statement://{account}", {}, async ({ account }, call) => {
    await call.ask("sure", form(`Show ${account ?? ""}?`));
    if (account === "broken") throw new Error("The ledger is on fire");
    return `statement of ${account ?? ""}`;
  });
  return server;
}

/** An HTTP answer, as an attacker sees it. */
export interface Raw {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly text: string;
}

/** A server on a port of its own, and everyone who knocks. */
export interface Door {
  readonly origin: string;
  /** The bytes of any request, as anyone. */
  knock(body: string, headers: Record<string, string>, path?: string): Promise<Raw>;
  /** A proper request. */
  send(message: Wire, principal?: Principal): Promise<Turn>;
  /** A tool call. */
  call(params: Wire, principal?: Principal): Promise<Turn>;
  close(): Promise<void>;
}

const WHO = "x-test-principal";

/** Serves over HTTP; a test's caller is whom the header says. */
export async function open(server: McpServer, options: HttpOptions = {}): Promise<Door> {
  const handler = toNodeHandler(server, {
    authenticate: ({ headers }) => {
      const header = headers.get(WHO);
      return header === null ? undefined : (JSON.parse(header) as Principal);
    },
    log: false,
    ...options,
  });
  const http = createServer(handler);
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${String((http.address() as AddressInfo).port)}`;
  const door: Door = {
    origin,
    async knock(body, headers, path = "/mcp") {
      const response = await fetch(origin + path, { method: "POST", headers, body });
      const { date: _, ...rest } = Object.fromEntries(response.headers);
      return { status: response.status, headers: rest, text: await response.text() };
    },
    async send(message, principal) {
      const { text } = await door.knock(JSON.stringify(message), headersOf(message, principal));
      const { result, error } = JSON.parse(text) as Pick<Turn, "result" | "error">;
      return { result, error, notified: [] };
    },
    call: (params, principal) => door.send(request("tools/call", params), principal),
    async close() {
      server.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  return door;
}

export const RENT: Wire = { name: "transfer", arguments: { to: "landlord", amount: 100 } };

/** Begins a call and answers its first question: gives what the victim's client would send next. */
export async function begin(
  door: Door,
  params: Wire = RENT,
  principal: Principal | undefined = ALICE,
): Promise<Wire> {
  const { result, error } = await door.call(params, principal);
  if (result === undefined) throw new Error(JSON.stringify(error));
  return { ...params, ...answer(result, YES) };
}

/** Plays a transfer up to its last round, and gives that round's params. */
export async function lastRound(
  door: Door,
  params: Wire = RENT,
  principal: Principal | undefined = ALICE,
): Promise<Wire> {
  const { result, error } = await door.call(await begin(door, params, principal), principal);
  if (result === undefined) throw new Error(JSON.stringify(error));
  return { ...params, ...answer(result, YES) };
}

/** Why states were refused, as the operator sees it. */
export const refusals = ({ events }: Scene): string[] =>
  events.flatMap((event) => (event.type === "state_refused" ? [event.refusal] : []));
