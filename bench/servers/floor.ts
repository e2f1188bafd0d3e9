import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { serveMeasured } from "./measured.js";

/*
 * The floor: bare node:http, JSON.parse and a fixed reply. With BENCH_AEAD it also seals a state
 * where it asks and opens it on a retry, synchronously, and checks nothing else.
 */
const withAead = process.env["BENCH_AEAD"] !== undefined;
const key = randomBytes(32);

interface Call {
  readonly id: number | string;
  readonly method: string;
  readonly params: { readonly requestState?: string; readonly name: string };
}

/** How often each tool asks. */
const QUESTIONS = new Map([
  ["flow", 1],
  ["five", 4],
]);

/** What a state holds behind its round, which is one digit. */
const JOURNAL = JSON.stringify({ flow: "x".repeat(22), answers: ["x".repeat(200)] });

function seal(round: number): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const body = cipher.update(String(round) + JOURNAL);
  cipher.final();
  return Buffer.concat([nonce, body, cipher.getAuthTag()]).toString("base64url");
}

function open(state: string): number {
  const box = Buffer.from(state, "base64url");
  const decipher = createDecipheriv("aes-256-gcm", key, box.subarray(0, 12));
  decipher.setAuthTag(box.subarray(-16));
  const text = decipher.update(box.subarray(12, -16), undefined, "utf8");
  decipher.final();
  return Number(text.charAt(0));
}

function roundOf(state: string | undefined): number {
  if (state === undefined) return 0;
  return withAead ? open(state) : Number(state);
}

const QUESTION =
  '"inputRequests":{"why":{"method":"elicitation/create","params":{"mode":"form","message":"Why?","requestedSchema":{"type":"object","properties":{"reason":{"type":"string"}},"required":["reason"]}}}}';

/** What clients want to know before they call. */
const DISCOVERY =
  '{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"floor","version":"1.0.0"}}}';

function resultOf({ method, params }: Call): string {
  if (method === "server/discover") return DISCOVERY;
  const { requestState, name } = params;
  const round = roundOf(requestState);
  if (round < (QUESTIONS.get(name) ?? 0)) {
    const state = withAead ? seal(round + 1) : String(round + 1);
    return `{"resultType":"input_required",${QUESTION},"requestState":"${state}"}`;
  }
  return '{"resultType":"complete","content":[{"type":"text","text":"done"}]}';
}

function reply(call: Call): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(call.id)},"result":${resultOf(call)}}`;
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
