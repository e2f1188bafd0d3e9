import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { inspect } from "node:util";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import * as authEntry from "../../src/entry/auth.js";
import * as authClientEntry from "../../src/entry/client-auth.js";
import * as loopbackEntry from "../../src/entry/client-loopback.js";
import * as clientEntry from "../../src/entry/client-node.js";
import * as fetchEntry from "../../src/entry/fetch.js";
import * as main from "../../src/entry/index.js";
import * as keysEntry from "../../src/entry/keys.js";
import * as nodeEntry from "../../src/entry/node.js";
import * as otelEntry from "../../src/entry/otel.js";
import * as postgresEntry from "../../src/entry/postgres.js";
import * as redisEntry from "../../src/entry/redis.js";
import * as sdkEntry from "../../src/entry/sdk.js";
import * as sqliteEntry from "../../src/entry/sqlite.js";
import * as testingEntry from "../../src/entry/testing.js";

/**
 * Whoever prints, logs or serialises anything of ours gets no key, no principal, no credential, no
 * argument and no answer. Every export is either made and shown here, after it has seen all of
 * them, or listed with the reason why there is nothing to make.
 */
const CANARY = "canary-2c7d";
const PRINCIPAL = { issuer: "https://id.example", subject: `subject-${CANARY}` };
const ANSWER = { action: "accept" as const, content: { what: `answer-${CANARY}` } };
const key = keysEntry.newKeyText();

/** Makes nothing that could hold a secret, or hands back what it was given. */
const NOTHING_TO_SHOW = new Set([
  // results and questions in the author's own words
  ...[
    "jsonSchema",
    "text",
    "structured",
    "form",
    "link",
    "sample",
    "roots",
    "accept",
    "decline",
    "cancel",
  ],
  // tests, constants and lists of cases
  ...["isParleyError", "isSuspension", "POINTS", "conditions", "storeContract"],
  ...["safeToDisableFrom", "safeToPromoteFrom", "migratePostgres"],
  // errors whose words are their thrower's
  ...["ParleyError", "RpcError", "UserError", "NotDone", "CapabilityMissing", "AuthorizationError"],
  // what a host has in its hands to send or to store: plain data by its nature
  ...["answered", "fillDefaults", "validateContent"],
  // a new key, as a text, is what it was asked for
  "newKeyText",
  // write files; what they give back is shown under readKeyFile
  ...["createKeyFile", "editKeyFile"],
  // the same Client as connect's; serveStdio gives a promise of nothing
  ...["connectStdio", "serveStdio"],
]);

const shownAs = new Map<string, unknown[]>();
const closers: (() => unknown)[] = [];
let folder: string;

function show(name: string, ...values: unknown[]): void {
  shownAs.set(name, [...(shownAs.get(name) ?? []), ...values]);
}

/**
 * Everything printing, logging or serialising a value could bring out. What an error hands to the
 * host by a getter, such as the flow it ended, is not printed but by who asks for getters.
 */
function printed(value: unknown): string {
  const hidden = !(value instanceof Error);
  const options = { showHidden: hidden, depth: 20, getters: hidden, maxStringLength: null };
  const seen = new Set<unknown>();
  const json = JSON.stringify(value, (_, member: unknown) => {
    if (typeof member === "object" && member !== null) {
      if (seen.has(member)) return undefined;
      seen.add(member);
    }
    return member instanceof Map || member instanceof Set ? [...member] : member;
  }) as string | undefined;
  return [inspect(value, options), String(value), json ?? ""].join("\n");
}

async function makeServers(): Promise<string> {
  const store = main.memoryStore();
  const codec = main.stored(store);
  const tracing = otelEntry.otelTracing();
  const options = { keys: key, store, codec, tracing, log: false } as const;
  const server = main.createMcpServer({ name: "printing", version: "1" }, options);
  const what = z.object({ what: z.string() });
  let rewound = false;
  server.tool("keep", { inputSchema: what }, async (_, call) => {
    const { what: said } = await call.ask("what", main.form("What?", what));
    show("createMcpServer", call);
    const refused = await call.ask("no", main.form("Sure?")).catch((error: unknown) => error);
    if (refused instanceof main.NotAccepted) show("NotAccepted", refused);
    await call.once("effect", (effect) => {
      show("createMcpServer", effect);
      return { said };
    });
    if (!rewound) {
      rewound = true;
      try {
        call.rewind("what");
      } finally {
        show("createMcpServer", call);
      }
    }
    return main.text("kept");
  });
  server.tool("page", {}, async (_, call) => {
    const url = (ticket: string): string => {
      show("createMcpServer", server.openTicket(ticket, call.principal), call);
      return `https://example.com/?t=${ticket}`;
    };
    await call.ask("login", main.link("Log in", url));
    return main.text("");
  });
  const cache = { ttlMs: 60_000, cacheScope: "private" } as const;
  server.resource("plan", "plan://secret", { cache }, () => `resource-${CANARY}`);
  const authenticate = () => PRINCIPAL;
  const serving = await nodeEntry.serve(server, { port: 0, authenticate });
  closers.push(
    () => serving.close(),
    () => server.close(),
  );
  show("createMcpServer", server);
  show("otelTracing", tracing);
  show("memoryStore", store);
  show("stored", codec);
  show("signed", main.signed());
  show("serve", serving);
  show("toNodeHandler", nodeEntry.toNodeHandler(server, { authenticate }));
  show("toFetchHandler", fetchEntry.toFetchHandler(server, { authenticate }));
  const guard = authEntry.bearer({ resource: "https://me.example", issuer: "https://id.example" });
  const claims = Buffer.from(JSON.stringify({ iss: CANARY })).toString("base64url");
  const head = { authorization: `Bearer e30.${claims}.${CANARY}` };
  const refused = await guard({ method: "POST", url: "/", headers: new Headers(head) });
  show("bearer", guard, refused);
  show("metadataNodeHandler", authEntry.metadataNodeHandler(guard));
  show("metadataFetchHandler", authEntry.metadataFetchHandler(guard));
  const parley = sdkEntry.createParley({ ...options, principal: authenticate });
  closers.push(() => parley.close());
  show(
    "createParley",
    parley,
    parley.flow("f", () => main.text("")),
  );
  return serving.url;
}

async function makeClients(url: string): Promise<void> {
  const headers = { authorization: `Bearer ${CANARY}` };
  const call = { name: "keep", arguments: { what: `argument-${CANARY}` } };
  const cache = new clientEntry.ResponseCache();
  let sayNo = false;
  const client = await clientEntry.connect(url, {
    headers,
    cache,
    answer: {
      form: (question) =>
        question.message.startsWith("Sure") && (sayNo = !sayNo) ? { action: "decline" } : ANSWER,
      url: () => ({ action: "accept" }),
    },
  });
  closers.push(() => client.close());
  await client.callTool(call);
  await client.callTool({ name: "page" });
  await client.readResource({ uri: "plan://secret" });
  show("connect", client);
  show("ResponseCache", cache);
  const unfit = await clientEntry.connect(url, {
    headers,
    answer: { form: () => ({ action: "accept", content: { what: [CANARY] } }) },
  });
  closers.push(() => unfit.close());
  show("AnswerInvalidError", await unfit.callTool(call).catch((error: unknown) => error));
  const mute = await clientEntry.connect(url, { headers, capabilities: { elicitation: {} } });
  closers.push(() => mute.close());
  show("UnfinishedError", await mute.callTool(call).catch((error: unknown) => error));
}

async function makeAuthorizations(): Promise<void> {
  const issuer = "https://id.example";
  const client = { issuer, clientId: "me", clientSecret: CANARY };
  const store = new authClientEntry.MemoryCredentialStore();
  const token = { accessToken: CANARY, refreshToken: CANARY, requested: [], clientId: "me" };
  store.set(issuer, {
    registration: { clientId: "me", clientSecret: CANARY, method: "none", redirectUris: [] },
    tokens: { "https://me.example": token },
  });
  const person = await loopbackEntry.loopback({ port: 0, open: () => undefined });
  closers.push(() => person.close());
  const { redirectUri, authorize } = person;
  const clients = [client];
  show("MemoryCredentialStore", store);
  show("loopback", person);
  show("oauth", authClientEntry.oauth({ redirectUri, authorize, clients, store }));
  show("clientCredentials", authClientEntry.clientCredentials({ clients, store, dpop: true }));
  const asserted = { clients, store, assertion: () => CANARY };
  show("workloadIdentity", authClientEntry.workloadIdentity(asserted));
  const managed = { clients, store, identityProvider: client, identityAssertion: () => CANARY };
  show("enterpriseManaged", authClientEntry.enterpriseManaged(managed));
}

async function makeKeys(): Promise<void> {
  const file = path.join(folder, "keys.json");
  keysEntry.createKeyFile(file, keysEntry.newKeyFile());
  const read = keysEntry.editKeyFile(file, (before) => keysEntry.addKey(before));
  const [first, second] = read.entries;
  if (first === undefined || second === undefined) throw new Error("no keys");
  const promoted = keysEntry.promoteKey(read, second.id, { force: true });
  show("newKeyFile", keysEntry.newKeyFile());
  show("addKey", read);
  show("readKeyFile", keysEntry.readKeyFile(file));
  show("findEntry", keysEntry.findEntry(read, first.id));
  show("promoteKey", promoted);
  show("disableKey", keysEntry.disableKey(promoted, first.id, { leaked: true }));
  const ring = keysEntry.keyRing(keysEntry.keyFile(file));
  closers.push(() => ring.close());
  show("keyFile", keysEntry.keyFile(file));
  show("keyRing", ring, ring.primary);
  show("KeyRing", new keysEntry.KeyRing(await keysEntry.polledKeys("vault", () => [key])));
  show("RingKey", new keysEntry.RingKey(key));
  show("polledKeys", await keysEntry.polledKeys("vault", () => [key]));
}

function makeStores(): void {
  const password = `password-${CANARY}`;
  const database = new Database(path.join(folder, "store.sqlite"));
  closers.push(() => database.close());
  show("sqliteStore", sqliteEntry.sqliteStore({ database }));
  const client = { options: { password }, sendCommand: () => Promise.resolve(null) };
  show("redisStore", redisEntry.redisStore({ client }));
  const subscriber = { ...client, subscribe: () => Promise.resolve(), on: () => undefined };
  show("redisBus", redisEntry.redisBus({ client, subscriber, log: false }));
  const pool = { options: { password }, connect: () => Promise.reject(new Error()) };
  show("postgresStore", postgresEntry.postgresStore({ pool }));
}

async function makeRehearsal(): Promise<void> {
  const stage = testingEntry.rehearse((options) => {
    const server = main.createMcpServer({ name: "r", version: "1" }, options);
    return server.tool("t", {}, async (_, call) => {
      await call.ask("what", main.form("What?", z.object({ what: z.string() })));
      return main.text("");
    });
  });
  await stage.callTool({ name: "t", arguments: { what: CANARY } }, { what: ANSWER });
  closers.push(() => stage.close());
  show("rehearse", stage, stage.findings);
}

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "parley-printing-"));
  await makeClients(await makeServers());
  await makeAuthorizations();
  await makeKeys();
  makeStores();
  await makeRehearsal();
});
afterAll(async () => {
  for (const close of closers.reverse()) await close();
  rmSync(folder, { recursive: true });
});

/** Every published entry's exports, by the package's own list of entries. */
async function exported(): Promise<string[]> {
  const root = path.join(import.meta.dirname, "../..");
  const { exports } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as {
    exports: Record<string, { default: string } | string>;
  };
  const names = new Set<string>();
  for (const entry of Object.values(exports)) {
    if (typeof entry === "string") continue;
    const source = entry.default.replace("./dist/", "../../src/").replace(/\.js$/, ".ts");
    for (const name of Object.keys((await import(source)) as object)) names.add(name);
  }
  return [...names].sort();
}

describe("printing what this package exports", () => {
  it("covers every export", async () => {
    const missing = (await exported()).filter(
      (name) => !NOTHING_TO_SHOW.has(name) && !shownAs.has(name),
    );
    expect(
      missing,
      "new exports: make each in this file and `show` it, or list it in NOTHING_TO_SHOW",
    ).toEqual([]);
  });

  it("shows no secret that any of it has seen", () => {
    const secrets = readFileSync(path.join(folder, "keys.json"), "utf8").match(/[\w-]{43}/g) ?? [];
    expect(secrets).toHaveLength(2);
    for (const [name, values] of shownAs) {
      for (const value of values) {
        const text = printed(value);
        for (const secret of [CANARY, key, ...secrets]) {
          const shows = text.indexOf(secret);
          expect(shows, `${name} shows ${text.slice(Math.max(0, shows - 80), shows + 40)}`).toBe(
            -1,
          );
        }
        // A new key file's keys are nowhere else.
        expect(text.replaceAll(/[\w-]{22,42}/g, ""), name).not.toMatch(
          /(?<![\w-])[\w-]{43}(?![\w-])/,
        );
      }
    }
  });

  it("would find a secret that is shown", () => {
    expect(printed({ inside: new Map([["a", { key }]]) })).toContain(key);
    expect(printed(PRINCIPAL)).toContain(CANARY);
  });

  it("shows errors as errors, and calls and keys as what they are", () => {
    expect(shownAs.get("UnfinishedError")?.[0]).toBeInstanceOf(clientEntry.UnfinishedError);
    expect(shownAs.get("AnswerInvalidError")?.[0]).toBeInstanceOf(clientEntry.AnswerInvalidError);
    expect(shownAs.get("NotAccepted")?.[0]).toBeInstanceOf(main.NotAccepted);
    const texts = (shownAs.get("createMcpServer") ?? []).map((value) => inspect(value));
    expect(texts.some((text) => /^Call \{ round: \d+ \}$/.test(text))).toBe(true);
    expect(inspect(shownAs.get("addKey"), { depth: 9 })).toContain("(secret)");
  });
});
