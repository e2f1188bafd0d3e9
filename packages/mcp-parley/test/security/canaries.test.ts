import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { inspect } from "node:util";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { createMcpServer, form, memoryStore, stored, text } from "../../src/entry/index.js";
import type { McpServer, ParleyEvent, Store } from "../../src/entry/index.js";
import { sqliteStore } from "../../src/entry/sqlite.js";
import { newKeyText } from "../../src/state/key-text.js";
import { accept, drive } from "../support/caller.js";
import { hosts } from "../support/hosts.js";

/** Planted where users' secrets lie; none may be found where others can look. */
const CANARIES = {
  argument: "canary-argument-5f1c",
  answer: "canary-answer-8d2e",
  memo: "canary-memo-a41b",
  effect: "canary-effect-77c0",
  subject: "canary-subject-3e9f",
  error: "canary-error-b6d4",
};

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "parley-canaries-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** A canary as it stands, and as it would look in the usual encodings, at any alignment. */
function disguises(canary: string): string[] {
  const encoded = [0, 1, 2].flatMap((shift) => {
    const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(canary)]);
    // the first and last characters depend on the neighbours
    return [bytes.toString("base64"), bytes.toString("base64url")].map((form) => form.slice(4, -4));
  });
  return [canary, Buffer.from(canary).toString("hex"), ...encoded];
}

function expectNoCanary(where: string, material: string): void {
  for (const [name, canary] of Object.entries(CANARIES)) {
    for (const form of disguises(canary)) {
      expect(material.includes(form), `${name} in ${where}, as ${form}`).toBe(false);
    }
  }
}

it("finds a canary that is there, in each disguise", () => {
  for (const form of disguises(CANARIES.answer)) {
    expect(() => expectNoCanary("a trap", `…${form}…`)).toThrow();
  }
});

it("no answer, argument, memo, effect, principal or error is found where others can look", async () => {
  const events: ParleyEvent[] = [];
  const logged: string[] = [];
  const key = newKeyText();
  const servers: McpServer[] = [];
  const database = new Database(path.join(folder, "store.sqlite"));
  const store = sqliteStore({ database });
  const make = (): McpServer => {
    const server = createMcpServer(
      { name: "canaries", version: "1" },
      {
        keys: key,
        store,
        onEvent: (event) => {
          // what a handler threw is its author's; everything else is ours to keep clean
          events.push("error" in event ? { ...event, error: undefined } : event);
        },
        log: {
          warn: (message) => logged.push(message),
          error: (message) => logged.push(message),
        },
      },
    );
    server.tool("keep", { inputSchema: z.object({ secret: z.string() }) }, async (_, call) => {
      await call.memo("memo", () => CANARIES.memo);
      await call.ask("answer", form("What?", z.object({ what: z.string() })));
      await call.once("effect", () => ({ value: CANARIES.effect }));
      await call.ask("again", form("Again?"));
      throw new Error(CANARIES.error);
    });
    servers.push(server);
    return server;
  };
  const inMemory = hosts["in memory"];
  if (inMemory === undefined) throw new Error("no host");
  const host = await inMemory(make, true);
  const { turns } = await drive(
    host,
    "tools/call",
    { name: "keep", arguments: { secret: CANARIES.argument } },
    { answer: accept({ what: CANARIES.answer }), again: accept() },
    { principal: { issuer: "https://id.example", subject: CANARIES.subject } },
  );
  expect(turns).toHaveLength(3);
  expect(turns.at(-1)?.result?.["isError"]).toBe(true);

  expectNoCanary("the wire", JSON.stringify(turns));
  expectNoCanary("events", inspect(events, { depth: 20 }));
  expectNoCanary("the log", logged.join("\n"));
  for (const file of await readdir(folder)) {
    const bytes = await readFile(path.join(folder, file));
    expect(bytes.length, file).toBeGreaterThan(0);
    expectNoCanary(file, bytes.toString("latin1"));
  }
  for (const server of servers) {
    expectNoCanary("what inspect shows", inspect(server, { depth: 20, showHidden: true }));
    expect(inspect(server, { depth: 20, showHidden: true })).not.toContain(key);
  }
  await host.close();
  database.close();
});

/** Keeps everything a store was ever handed: what any dump of it could show, and more. */
function overheard(heard: unknown[]): Store {
  const memory = memoryStore();
  return {
    name: "overheard",
    survives: "fleet",
    insertOrGet: (...of) => {
      heard.push(of);
      return memory.insertOrGet(...of);
    },
    replaceIfOwner: (...of) => {
      heard.push(of);
      return memory.replaceIfOwner(...of);
    },
    deleteIfOwner: (...of) => {
      heard.push(of);
      return memory.deleteIfOwner(...of);
    },
  };
}

it("whatever store there is, and with states kept in it, it is handed nothing that can be read", async () => {
  const heard: unknown[] = [];
  const store = overheard(heard);
  const keys = newKeyText();
  const make = (): McpServer =>
    createMcpServer(
      { name: "canaries", version: "1" },
      { keys, store, codec: stored(store), log: false },
    ).tool("keep", { inputSchema: z.object({ secret: z.string() }) }, async ({ secret }, call) => {
      await call.memo("memo", () => CANARIES.memo);
      await call.ask("answer", form("What?", z.object({ what: z.string() })));
      const per = { key: secret, scope: "principal", keepFor: 60_000 } as const;
      await call.once("effect", () => ({ value: CANARIES.effect }));
      await call.once("known", () => ({ value: CANARIES.effect.repeat(200) }), { per });
      await call.ask("again", form("Again?"));
      return text(CANARIES.error);
    });
  const inMemory = hosts["in memory"];
  if (inMemory === undefined) throw new Error("no host");
  const host = await inMemory(make, true);
  const { last, turns } = await drive(
    host,
    "tools/call",
    { name: "keep", arguments: { secret: CANARIES.argument } },
    { answer: accept({ what: CANARIES.answer }), again: accept() },
    { principal: { issuer: "https://id.example", subject: CANARIES.subject } },
  );
  expect(last.result).toMatchObject({ content: [{ text: CANARIES.error }] });
  expect(turns).toHaveLength(3);
  expect(heard.length).toBeGreaterThan(8);
  const all = JSON.stringify(heard);
  expectNoCanary("what a store was handed", all);
  expect(all).not.toContain(keys);
  await host.close();
});
