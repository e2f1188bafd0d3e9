/*
 * One of several servers that share a key and a store: node flow-instance.mjs PLAN, where PLAN is
 * JSON of { store, world, dies }. Its one tool charges once; the charge is a line in the file
 * `world`, which stands for the provider. With `dies` it is killed inside its nth charge, after the
 * provider has heard of it. Prints where it listens.
 */
import { appendFileSync, readFileSync } from "node:fs";
import { createMcpServer, form, NotDone, text } from "mcp-parley";
import { serve } from "mcp-parley/node";
import { openStore } from "./open-store.mjs";

const { store: address, world, dies } = JSON.parse(process.argv[2] ?? "");
/** Short, since what a killed process held is waited for; its owner renews it every half second. */
const LEASE = 1_500;

const { store } = await openStore(address);
const server = createMcpServer(
  { name: "shop", version: "1.0.0" },
  { log: false, store, lease: LEASE },
);

let charges = 0;
const amountSchema = {
  type: "object",
  properties: { amount: { type: "integer", minimum: 1 } },
  required: ["amount"],
};

function charge({ idempotencyKey }, amount) {
  appendFileSync(world, `${JSON.stringify({ idempotencyKey, amount })}\n`);
  charges += 1;
  if (charges === dies) process.kill(process.pid, "SIGKILL");
  return { receipt: idempotencyKey, amount };
}

function find({ idempotencyKey }, amount) {
  const lines = readFileSync(world, "utf8").split("\n").filter(Boolean);
  const found = lines.some((line) => JSON.parse(line).idempotencyKey === idempotencyKey);
  if (!found) throw new NotDone("The provider has not heard of it");
  return { receipt: idempotencyKey, amount };
}

server.tool("pay", {}, async (_, call) => {
  const { amount } = await call.ask("amount", form("How much?", amountSchema));
  await call.ask("sure", form(`Pay ${amount}?`));
  const paid = await call.once("charge", (effect) => charge(effect, amount), {
    recover: (effect) => find(effect, amount),
  });
  return text(`Paid ${paid.amount}, receipt ${paid.receipt}`);
});

const { url } = await serve(server, { port: 0 });
process.stdout.write(`${url}\n`);
