import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { createRequestStateCodec } from "@modelcontextprotocol/server";
import { sealer } from "./sealer.js";

/*
 * Seals and opens payloads: plain AES-256-GCM, ours, and the official codec with binding. Run as a
 * process of its own, `node sealing.js REPETITIONS TIMES`, so that it can be kept to one processor.
 */

/** CPU per seal and open of one size, in µs, over all repetitions. */
export interface Sealed {
  readonly bytes: number;
  readonly aesGcm: number[];
  readonly parley: number[];
  readonly official: number[];
}

/** What makes tokens of payloads, and takes them back. */
interface Codec {
  seal(payload: string): string | Promise<string>;
  open(token: string): unknown;
}

const CONTEXT = { mcpReq: { method: "tools/call" }, http: undefined } as never;
const SIZES = [64, 1024, 16 * 1024];

/** Repetitions that are not counted. */
const WARM_UP = 5;

/** How many are sealed before they are opened. */
const BATCH = 50;

const [repetitions = 0, times = 0] = process.argv.slice(2).map(Number);
const key = randomBytes(32);
const officialCodec = createRequestStateCodec<string>({
  key: randomBytes(32),
  bind: (ctx) => `${ctx.mcpReq.method}\0${ctx.http?.authInfo?.clientId ?? ""}`,
});

const aesGcm: Codec = {
  seal(payload) {
    const nonce = randomBytes(12);
    const cipher = createCipheriv("aes-256-gcm", key, nonce);
    const body = cipher.update(payload, "utf8");
    cipher.final();
    return Buffer.concat([nonce, body, cipher.getAuthTag()]).toString("base64url");
  },
  open(token) {
    const box = Buffer.from(token, "base64url");
    const decipher = createDecipheriv("aes-256-gcm", key, box.subarray(0, 12));
    decipher.setAuthTag(box.subarray(-16));
    const text = decipher.update(box.subarray(12, -16)).toString();
    decipher.final();
    return text;
  },
};
const parley: Codec = await sealer();
const official: Codec = {
  seal: (payload) => officialCodec.mint(payload, CONTEXT),
  open: (token) => officialCodec.verify(token, CONTEXT),
};

/**
 * CPU of `times` seals and opens, in µs for each. Between the two a token travels, which is not
 * counted: it is written into a response together with what stands around it, and comes back as a
 * text of its own.
 */
async function cpuOf(times: number, codec: Codec, payload: string): Promise<number> {
  let cpu = 0;
  for (let done = 0; done < times; done += BATCH) {
    const tokens: string[] = [];
    let before = process.cpuUsage();
    for (let n = 0; n < BATCH; n += 1) {
      const token = codec.seal(payload);
      tokens.push(typeof token === "string" ? token : await token);
    }
    cpu += since(before);
    const returned = JSON.parse(JSON.stringify(tokens)) as string[];
    before = process.cpuUsage();
    for (const token of returned) {
      const opened = codec.open(token);
      if (opened instanceof Promise) await opened;
    }
    cpu += since(before);
  }
  return cpu / times;
}

function since(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

const all: Sealed[] = [];
for (const bytes of SIZES) {
  const payload = "x".repeat(bytes);
  const sealed: Sealed = { bytes, aesGcm: [], parley: [], official: [] };
  const turns: [figures: number[], codec: Codec, times: number][] = [
    [sealed.aesGcm, aesGcm, times],
    [sealed.parley, parley, times],
    [sealed.official, official, times / 5],
  ];
  for (let repetition = -WARM_UP; repetition < repetitions; repetition += 1) {
    for (const [figures, codec, times] of turns) {
      const cpu = await cpuOf(times, codec, payload);
      if (repetition >= 0) figures.push(cpu);
    }
    turns.reverse(); // nobody always collects what the one before left behind
  }
  all.push(sealed);
}
console.log(JSON.stringify(all));
