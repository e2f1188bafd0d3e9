import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openClient } from "../../src/client/open.js";
import { ResponseCache } from "../../src/client/response-cache.js";
import { connect } from "../../src/entry/client-node.js";
import { connect as connectFetch } from "../../src/entry/client.js";
import { FakeClock } from "./fake-clock.js";
import { MemoryLink, type Played, type Waiting } from "./memory-link.js";
import { scripted } from "./scripted.js";
import { connectUndici } from "../support/undici.js";

const HOUR = 3_600_000;

/** A server that numbers its lists of tools, so that a kept one can be told from a new one. */
function numbering(cacheScope = "private") {
  let count = 0;
  return (): { result: Record<string, unknown> } => {
    count += 1;
    const tools = [{ name: `n${count}` }];
    return { result: { resultType: "complete", tools, ttlMs: HOUR, cacheScope } };
  };
}

const names = async (items: Promise<readonly { name: string }[]>): Promise<string[]> =>
  (await items).map(({ name }) => name);

describe.each([
  ["node", connect],
  ["undici", connectUndici],
  ["fetch", connectFetch],
])("clients that share a cache over %s", (_transport, open) => {
  async function two(scope: string, headers: Record<string, string>[]) {
    const server = await scripted(numbering(scope));
    const cache = new ResponseCache();
    const clients = await Promise.all(
      headers.map((header) => open(server.url, { cache, headers: header })),
    );
    const seen = [];
    for (const client of clients) seen.push(await names(client.listTools().all()));
    return {
      seen,
      clients,
      cache,
      server,
      close: () => Promise.all(clients.map((c) => c.close())),
    };
  }
  const headers = [{ authorization: "Bearer a" }, { authorization: "Bearer b" }];

  test("share what is public", async () => {
    const { seen, close } = await two("public", headers);
    expect(seen).toEqual([["n1"], ["n1"]]);
    await close();
  });

  test.each([
    ["private", headers],
    ["private", [{ authorization: "Bearer a" }, { authorization: "Bearer a" }]],
    ["neither", headers],
  ])("share nothing that is %s", async (scope, given) => {
    const { seen, clients, cache, close } = await two(scope, given);
    expect(seen).toEqual([["n1"], ["n2"]]);
    expect(cache.entries).toBe(2);
    await clients[0]?.close(); // what was kept for it alone goes with it
    expect(cache.entries).toBe(1);
    await close();
    expect(cache.entries).toBe(0);
  });

  test("share nothing where they do not speak to the same endpoint", async () => {
    const cache = new ResponseCache();
    const seen = [];
    for (const path of ["", "?tenant=b"]) {
      const server = await scripted(numbering("public"));
      const client = await open(server.url + path, { cache });
      seen.push(await names(client.listTools().all()));
      await client.close();
    }
    expect(seen).toEqual([["n1"], ["n1"]]);
  });
});

test("clients whose servers nobody else reaches share nothing", async () => {
  const cache = new ResponseCache();
  for (let index = 0; index < 2; index++) {
    // Two processes of one command line may be two servers: their environments are not compared.
    const link = new MemoryLink(numbering("public"), { address: "same" });
    await names((await openClient(link, { cache }, new FakeClock())).listTools().all());
    expect(link.sent).toHaveLength(1);
  }
});

test("credentials that change find nothing that was private to others", async () => {
  let token = "a";
  const link = new MemoryLink(numbering(), {
    credentials: () => ({ headers: { authorization: token } }),
  });
  const cache = new ResponseCache();
  const client = await openClient(link, { cache }, new FakeClock());
  const seen: string[][] = [];
  for (token of ["a", "a", "b", "b", "a"]) seen.push(await names(client.listTools().all()));
  expect(seen).toEqual([["n1"], ["n1"], ["n2"], ["n2"], ["n3"]]);
  expect(cache.entries).toBe(1);
  expect(link.sent.map(({ credentials }) => credentials?.headers["authorization"])).toEqual([
    "a",
    "b",
    "a",
  ]);
});

test("a result is kept for the credentials it was got with, though others come meanwhile", async () => {
  let token = "a";
  const link = new MemoryLink(() => undefined, {
    credentials: () => ({ headers: { authorization: token } }),
  });
  const client = await openClient(link, {}, new FakeClock());
  const first = client.listTools().all();
  while (link.sent.length < 1) await Promise.resolve();
  token = "b";
  const second = client.listTools().all();
  while (link.sent.length < 2) await Promise.resolve();
  const pages = numbering();
  for (const sent of link.sent) sent.answer(pages());
  expect(await names(first)).toEqual(["n1"]);
  expect(await names(second)).toEqual(["n2"]);
  const third = client.listTools().all();
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  link.sent[2]?.answer(pages());
  expect(await names(third)).not.toEqual(["n1"]);
});

test("whoever asks, in whatever order, a private result is only ever its own client's", async () => {
  const step = fc.record({ who: fc.nat(2), token: fc.nat(1), uri: fc.nat(1) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const cache = new ResponseCache({ entries: 4 });
      const tokens = [0, 0, 0];
      const clients = await Promise.all(
        tokens.map((_zero, who) => {
          const play = ({ credentials, params }: Waiting): Played => {
            const text = `${credentials?.headers["from"]} ${String(params["uri"])}`;
            const contents = [{ uri: "u", text }];
            return {
              result: { resultType: "complete", contents, ttlMs: HOUR, cacheScope: "private" },
            };
          };
          const credentials = () => ({ headers: { from: `${who}/${tokens[who]}` } });
          return openClient(new MemoryLink(play, { credentials }), { cache }, new FakeClock());
        }),
      );
      for (const { who, token, uri } of steps) {
        tokens[who] = token;
        const { contents } = (await clients[who]?.readResource({ uri: `${uri}` })) ?? {};
        expect(contents).toEqual([{ uri: "u", text: `${who}/${token} ${uri}` }]);
      }
    }),
    { numRuns: 50 },
  );
});
