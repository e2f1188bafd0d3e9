import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { serveMeasured } from "./measured.js";

/*
 * The floor: bare node:http, JSON.parse and a fixed reply. With BENCH_AEAD it also seals a state on
 * a first leg and opens it on a retry, synchronously, and checks nothing else.
 */
const withAead = process.env["BENCH_AEAD"] !== undefined;
const key = randomBytes(32);

interface Call {
  readonly id: number;
  readonly params: { readonly requestState?: string; readonly name: string };
}

const JOURNAL = JSON.stringify({ flow: "x".repeat(22), answers: ["x".repeat(200)] });

function seal(): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const body = cipher.update(JOURNAL);
  cipher.final();
  return Buffer.concat([nonce, body, cipher.getAuthTag()]).toString("base64url");
}

function open(state: string): void {
  const box = Buffer.from(state, "base64url");
  const decipher = createDecipheriv("aes-256-gcm", key, box.subarray(0, 12));
  decipher.setAuthTag(box.subarray(-16));
  decipher.update(box.subarray(12, -16));
  decipher.final();
}

const QUESTION =
  '"inputRequests":{"why":{"method":"elicitation/create","params":{"mode":"form","message":"Why?","requestedSchema":{"type":"object","properties":{"reason":{"type":"string"}},"required":["reason"]}}}}';

function reply({ id, params }: Call): string {
  const { requestState, name } = params;
  const asks = name !== "plain" && requestState === undefined;
  if (asks) {
    const state = withAead ? seal() : "state";
    return `{"jsonrpc":"2.0","id":${String(id)},"result":{"resultType":"input_required",${QUESTION},"requestState":"${state}"}}`;
  }
  if (requestState !== undefined && withAead) open(requestState);
  return `{"jsonrpc":"2.0","id":${String(id)},"result":{"resultType":"complete","content":[{"type":"text","text":"done"}]}}`;
}

serveMeasured((request, response) => {
  let body = "";
  request.on("data", (chunk: Buffer) => (body += chunk.toString()));
  request.on("end", () => {
    const text = reply(JSON.parse(body) as Call);
    response.writeHead(200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
    });
    response.end(text);
  });
});
