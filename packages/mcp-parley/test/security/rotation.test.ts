import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { addKey, disableKey, newKeyFile, promoteKey } from "../../src/state/key-edits.js";
import type { KeyFile } from "../../src/state/key-file-format.js";
import { createKeyFile, editKeyFile } from "../../src/state/key-file.js";
import { accept, answer, request, textOf, type Turn } from "../support/caller.js";
import type { Wire } from "../support/hosts.js";

/**
 * A rotation and a leak, in four processes that share a key file, while clients run flows whose
 * rounds land anywhere. Steps wait for what the instances say they have read, never for a time: the
 * times of the key file's own rules are passed by a clock that is moved.
 */
interface Instance {
  readonly process: ChildProcess;
  url: string;
  ids: string[];
}

/** Three read the key file by themselves, the last only when it is told to. */
const SPEEDS = ["quick", "quick", "quick", "slow"];
const ANSWERS = { a: accept({}), b: accept({}) };
const REFUSED = { code: -32602, message: "Invalid or expired requestState" };

const folder = mkdtempSync(path.join(tmpdir(), "parley-rotation-"));
const file = path.join(folder, "keys.json");
const instances: Instance[] = [];
/** Called whenever anything has happened that a step may wait for. */
let happened: (() => void)[] = [];
let later = 0;
const now = (): number => Date.now() + later;

beforeAll(async () => {
  createKeyFile(file, newKeyFile({}, now));
  for (const speed of SPEEDS) {
    const instance: Instance = {
      process: fork(path.join(import.meta.dirname, "rotation-instance.mjs"), [file, speed]),
      url: "",
      ids: [],
    };
    instance.process.on("message", (message) => {
      Object.assign(instance, message);
      wake();
    });
    instances.push(instance);
  }
  await until(() => instances.every(({ url, ids }) => url !== "" && ids.length === 1));
}, 60_000);

afterAll(() => {
  for (const { process: child } of instances) child.kill();
  rmSync(folder, { recursive: true });
});

function wake(): void {
  const waiting = happened;
  happened = [];
  for (const each of waiting) each();
}

async function until(met: () => boolean): Promise<void> {
  while (!met()) await new Promise<void>((resolve) => happened.push(resolve));
}

/** Waits until every instance has exactly these keys, the primary's first; the slow one reads last. */
async function everywhere(...ids: string[]): Promise<void> {
  const has = (instance: Instance): boolean => instance.ids.join() === ids.join();
  await until(() => instances.slice(0, -1).every(has));
  slow().process.send("read");
  await until(() => has(slow()));
}

const slow = (): Instance => instances.at(-1)!;

async function send(instance: Instance, extra: Wire = {}): Promise<Turn> {
  const response = await fetch(instance.url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "two",
    },
    body: JSON.stringify(request("tools/call", { name: "two", arguments: {}, ...extra })),
  });
  const { result, error } = (await response.json()) as Pick<Turn, "result" | "error">;
  return { result, error, notified: [] };
}

/** The id of the key a state was sealed with. */
const keyOf = ({ result }: Turn): string =>
  Buffer.from((result?.["requestState"] as string).slice(3), "base64url").toString("hex", 0, 8);

/** Flows that begin, go on and end while everything else happens, each round on the next instance. */
class Traffic {
  flows = 0;
  readonly broken: unknown[] = [];
  readonly sealedWith = new Set<string>();
  #stopped = false;
  readonly #clients: Promise<void>[];

  constructor(clients: number) {
    this.#clients = Array.from({ length: clients }, (_, i) => this.#client(i));
  }

  async #client(first: number): Promise<void> {
    let turns = first;
    const next = (): Instance => instances[turns++ % instances.length]!;
    while (!this.#stopped) {
      let turn = await send(next());
      while (turn.result?.["resultType"] === "input_required") {
        this.sealedWith.add(keyOf(turn));
        turn = await send(next(), answer(turn.result, ANSWERS));
      }
      if (textOf(turn) !== "done") this.broken.push(turn);
      this.flows += 1;
      wake();
    }
  }

  /** Lets every flow that is under way now come to its end, and as many again. */
  async goOn(): Promise<void> {
    const enough = this.flows + 2 * this.#clients.length;
    await until(() => this.flows >= enough);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#clients);
  }
}

/** A flow that was begun at each instance, and rests with somebody who thinks. */
async function hold(): Promise<Turn[]> {
  return Promise.all(instances.map((instance) => send(instance)));
}

/** Goes on with flows at the instances next to where they were begun. */
async function goOnWith(held: readonly Turn[]): Promise<void> {
  for (const [at, { result }] of held.entries()) {
    const turn = await send(instances[(at + 1) % instances.length]!, answer(result!, ANSWERS));
    expect(turn.error).toBeUndefined();
  }
}

const added = (edited: KeyFile): string => edited.entries.at(-1)!.id;

it("a whole rotation breaks no flow, and a leaked key's states are refused at once", async () => {
  const [old] = instances[0]!.ids as [string];
  const traffic = new Traffic(4);
  await traffic.goOn();

  const fresh = added(editKeyFile(file, (read) => addKey(read, now)));
  expect(() => editKeyFile(file, (read) => promoteKey(read, fresh, {}, now))).toThrow(
    expect.objectContaining({ code: "key_unsafe" }),
  );
  await everywhere(old, fresh);
  await traffic.goOn();
  later += 60_000;

  const held = await hold();
  editKeyFile(file, (read) => promoteKey(read, fresh, {}, now));
  expect(() => editKeyFile(file, (read) => disableKey(read, old, {}, now))).toThrow(
    expect.objectContaining({ code: "key_unsafe" }),
  );
  // The quickest seals with it before the slowest knows that it may.
  await until(() => instances[0]!.ids[0] === fresh);
  const early = answer((await send(instances[0]!)).result!, ANSWERS);
  expect((await send(slow(), early)).error).toBeUndefined();
  await everywhere(fresh, old);
  await traffic.goOn();
  // Whatever was sealed under the old key is back within the longest life.
  await goOnWith(held);
  later += 11 * 60_000;

  editKeyFile(file, (read) => disableKey(read, old, {}, now));
  await everywhere(fresh);
  await traffic.goOn();
  await traffic.stop();
  expect(traffic.broken).toEqual([]);
  expect([...traffic.sealedWith].sort()).toEqual([fresh, old].sort());

  const honest = await send(instances[0]!);
  expect(keyOf(honest)).toBe(fresh);
  const retry = answer(honest.result!, ANSWERS);
  const next = added(editKeyFile(file, (read) => addKey(read, now)));
  editKeyFile(file, (read) => promoteKey(read, next, { force: true }, now));
  editKeyFile(file, (read) => disableKey(read, fresh, { leaked: true }, now));
  await everywhere(next);
  for (const instance of instances) expect((await send(instance, retry)).error).toEqual(REFUSED);
  const begun = await send(instances[1]!);
  expect(keyOf(begun)).toBe(next);
}, 120_000);
