/*
 * One of several servers that share a key and a store: node flow-instance.mjs PLAN, where PLAN is
 * JSON of shop.ts's { store, world, faults }. What its tools do once is a line in the file `world`,
 * which stands for the provider. It is killed or stopped the nth time that it comes to a point;
 * inside an effect, that is after the provider has heard of it. Prints where it listens.
 */
import { appendFileSync, readFileSync } from "node:fs";
import { createMcpServer, form, NotDone, text } from "mcp-parley";
import { serve } from "mcp-parley/node";
import { z } from "zod";
import { openStore } from "./open-store.mjs";

const { store: address, world, faults } = JSON.parse(process.argv[2] ?? "");
/** Short, since what a killed process held is waited for; its owner renews it every half second. */
const LEASE = 1_500;

const { store } = await openStore(address);
const server = createMcpServer(
  { name: "shop", version: "1.0.0" },
  { log: false, store, lease: LEASE },
);

const visits = new Map();
function at(point) {
  const visit = (visits.get(point) ?? 0) + 1;
  visits.set(point, visit);
  const fault = faults.find((one) => one.point === point && one.visit === visit);
  if (fault !== undefined) process.kill(process.pid, fault.signal);
}

/** Has the provider do something, and asks it afterwards whether it was done. */
const done = ({ idempotencyKey }, what) => {
  appendFileSync(world, `${JSON.stringify({ idempotencyKey, ...what })}\n`);
  at("inside the effect");
  return { receipt: idempotencyKey, ...what };
};
const found = ({ idempotencyKey }) => {
  const lines = readFileSync(world, "utf8").split("\n").filter(Boolean);
  const line = lines
    .map((each) => JSON.parse(each))
    .find((each) => each.idempotencyKey === idempotencyKey);
  if (line === undefined) throw new NotDone("The provider has not heard of it");
  return { receipt: idempotencyKey, ...line };
};

const object = (properties) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
});
const amountSchema = object({ amount: { type: "integer", minimum: 1 } });
const wordSchema = object({ word: { type: "string" } });

server.tool("pay", {}, async (_, call) => {
  const { amount } = await call.ask("amount", form("How much?", amountSchema));
  await call.ask("sure", form(`Pay ${amount}?`));
  const paid = await call.once("charge", (effect) => done(effect, { amount }), { recover: found });
  return text(`Paid ${paid.amount}, receipt ${paid.receipt}`);
});

// Asks for a word four times, and has the provider told of all words so far after every other one.
const inputSchema = z.object({ flow: z.string() });
server.tool("relay", { inputSchema }, async ({ flow }, call) => {
  const words = [];
  for (const step of [1, 2, 3, 4]) {
    const { word } = await call.ask(`word ${step}`, form(JSON.stringify(words), wordSchema));
    words.push(word);
    at("inside the round");
    if (step % 2 === 0) {
      await call.once(`tell ${step}`, (effect) => done(effect, { flow, words }), {
        recover: found,
      });
    }
  }
  return text(JSON.stringify(words));
});

const { url } = await serve(server, { port: 0 });
process.stdout.write(`${url}\n`);
