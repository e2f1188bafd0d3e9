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

const CONTEXT = { mcpReq: { method: "tools/call" }, http: undefined } as never;
const SIZES = [64, 1024, 16 * 1024];

const [repetitions = 0, times = 0] = process.argv.slice(2).map(Number);
const key = randomBytes(32);
const ours = await sealer();
const official = createRequestStateCodec<string>({
  key: randomBytes(32),
  bind: (ctx) => `${ctx.mcpReq.method}\0${ctx.http?.authInfo?.clientId ?? ""}`,
});

function plain(payload: string): void {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const body = cipher.update(payload, "utf8");
  cipher.final();
  const token = Buffer.concat([nonce, body, cipher.getAuthTag()]).toString("base64url");
  const box = Buffer.from(token, "base64url");
  const decipher = createDecipheriv("aes-256-gcm", key, box.subarray(0, 12));
  decipher.setAuthTag(box.subarray(-16));
  decipher.update(box.subarray(12, -16)).toString();
  decipher.final();
}

async function cpuOf(times: number, run: () => void | Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  for (let done = 0; done < times; done += 1) {
    const waiting = run();
    if (waiting !== undefined) await waiting;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / times;
}

const all: Sealed[] = [];
for (const bytes of SIZES) {
  const payload = "x".repeat(bytes);
  const sealed: Sealed = { bytes, aesGcm: [], parley: [], official: [] };
  for (let repetition = -1; repetition < repetitions; repetition += 1) {
    const figures = [
      await cpuOf(times, () => plain(payload)),
      await cpuOf(times, () => {
        ours.open(ours.seal(payload));
      }),
      await cpuOf(times / 5, async () => {
        await official.verify(await official.mint(payload, CONTEXT), CONTEXT);
      }),
    ] as const;
    if (repetition < 0) continue; // the first warms up
    sealed.aesGcm.push(figures[0]);
    sealed.parley.push(figures[1]);
    sealed.official.push(figures[2]);
  }
  all.push(sealed);
}
console.log(JSON.stringify(all));
