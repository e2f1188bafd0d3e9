import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { createMcpServer, form, text } from "../../src/entry/index.js";
import { serve } from "../../src/entry/node.js";
import { newKeyText } from "../../src/state/key-text.js";
import { officialClients } from "../support/official-clients.js";
import type { Wire } from "../support/hosts.js";

/*
 * The official client, sent away with nothing but a state, comes back by itself. On its way a
 * request that carries an answer is doubled, and the one that it knows of is the second.
 */
it("the official client comes back by itself for the round that another request began", async () => {
  let runs = 0;
  let effects = 0;
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  let arrived: () => void = () => undefined;
  const inside = new Promise<void>((resolve) => (arrived = resolve));
  const server = createMcpServer(
    { name: "shop", version: "1" },
    { keys: newKeyText(), log: false },
  ).tool("pay", {}, async (_, call) => {
    await call.ask("sure", form("Sure?"));
    runs += 1;
    const nth = await call.once("charge", async () => {
      arrived();
      await finished;
      return (effects += 1);
    });
    return text(`Paid ${String(nth)}`);
  });
  const { url, close } = await serve(server, { port: 0 });

  let handedBack = 0;
  let doubled: Promise<unknown> | undefined;
  const road = createServer((request, response) => {
    void (async () => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const body = Buffer.concat(parts);
      const headers = Object.fromEntries(
        Object.entries(request.headers).filter(
          ([name]) => !/^(host|connection|content-length)$/.test(name),
        ),
      ) as Record<string, string>;
      const send = (): Promise<string> =>
        fetch(url, { method: "POST", headers, body }).then((answer) => answer.text());
      if (doubled === undefined && body.includes("inputResponses")) {
        doubled = send();
        await inside;
      }
      const answer = await send();
      const { result } = JSON.parse(answer) as { result?: Wire };
      if (result?.["resultType"] === "input_required" && result["inputRequests"] === undefined) {
        handedBack += 1;
        finish();
        await doubled;
      }
      response.writeHead(200, { "content-type": "application/json" }).end(answer);
    })();
  });
  await new Promise<void>((resolve) => road.listen(0, "127.0.0.1", resolve));
  const { port } = road.address() as AddressInfo;

  const connect = officialClients["2.4.0"];
  const client = await connect?.({ url: `http://127.0.0.1:${String(port)}/mcp` }, () => undefined);
  expect(await client?.tool("pay", {})).toMatchObject({
    content: [{ type: "text", text: "Paid 1" }],
  });
  expect({ handedBack, runs, effects }).toEqual({ handedBack: 1, runs: 1, effects: 1 });
  await client?.close();
  road.closeAllConnections();
  road.close();
  await close();
});
