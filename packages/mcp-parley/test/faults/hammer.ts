import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { readHistory, type Happened } from "./history.js";
import { resumeStopped } from "./stopped.js";

/** Where a worker is killed or stopped. */
export const POINTS = [
  "after claim",
  "inside the effect",
  "before settle",
  "after settle",
] as const;

/** What one process is told; see worker.mjs. */
interface WorkerPlan {
  readonly name: string;
  readonly store: StoreAddress;
  readonly log: string;
  readonly ids: readonly string[];
  readonly effect: boolean;
  readonly notAfter: number;
  readonly lease: number;
  /** How far its clock is off, in ms. */
  readonly skew: number;
  /** Where in the list of ids each of its lanes begins, from 0 to 1. */
  readonly lanes: readonly number[];
  readonly faults: readonly {
    point: (typeof POINTS)[number];
    visit: number;
    signal: "SIGKILL" | "SIGSTOP";
  }[];
}

export interface StoreAddress {
  readonly kind: "sqlite" | "redis" | "ioredis" | "postgres";
  readonly url: string;
}

export interface Hammering {
  readonly store: StoreAddress;
  readonly ids: readonly string[];
  /** Whether the claims guard an effect. */
  readonly effect: boolean;
  /** Done to the store while the workers are at it, each once. */
  readonly disturbances: readonly (() => Promise<unknown>)[];
}

const LEASE_MS = 700;

/** Clocks disagree by as much as five minutes. */
const SKEWS = [0, 300_000, -300_000, 60_000];

/** A worker that was stopped goes on once everyone thinks that it has gone. */
const STOPPED_FOR_MS = 3 * LEASE_MS;

const ENDS_WITHIN_MS = 120_000;

/**
 * Has processes claim the same ids all at once while they are killed and stopped at each named
 * point and the store is disturbed; each killed one is followed by another. Gives what happened.
 */
export async function hammer({ store, ids, effect, disturbances }: Hammering): Promise<Happened[]> {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-faults-"));
  const log = path.join(folder, "history");
  writeFileSync(log, "");
  const running = new Set<ChildProcess>();
  const said: string[] = [];
  let ended = false;

  const start = (name: string, index: number, faults: WorkerPlan["faults"]): void => {
    const plan: WorkerPlan = {
      name,
      store,
      log,
      ids,
      effect,
      notAfter: Date.now() + 3_600_000,
      lease: LEASE_MS,
      skew: SKEWS[index % SKEWS.length] ?? 0,
      lanes: [0, 0.37, 0.71].map((lane) => (lane + index / 4) % 1),
      faults,
    };
    const worker = spawn(
      process.execPath,
      [path.join(import.meta.dirname, "worker.mjs"), JSON.stringify(plan)],
      { stdio: ["ignore", "ignore", "pipe"] },
    );
    running.add(worker);
    worker.stderr.on("data", (text) => said.push(String(text)));
    worker.on("exit", (_code, signal) => {
      running.delete(worker);
      if (signal === "SIGKILL" && !ended) start(`${name}'`, index + 1, []);
    });
  };

  try {
    POINTS.forEach((point, index) => {
      start(`worker ${index}`, index, [
        { point, visit: 2, signal: "SIGSTOP" },
        { point, visit: 4, signal: "SIGKILL" },
      ]);
    });
    const left = [...disturbances];
    const deadline = Date.now() + ENDS_WITHIN_MS;
    const resumed = new Map<ChildProcess, number>();
    while (running.size > 0) {
      if (Date.now() > deadline) {
        throw new Error(
          `The workers did not end:\n${said.join("")}\n${readFileSync(log, "utf8").slice(-3_000)}`,
        );
      }
      await pause(25);
      const history = readHistory(readFileSync(log, "utf8"));
      const decided = new Set(history.filter(({ kind }) => kind === "told").map(({ id }) => id));
      const share = decided.size / ids.length;
      const next = (disturbances.length - left.length + 1) / (disturbances.length + 1);
      if (share >= next) await left.shift()?.();
      resumeStopped(running, resumed, STOPPED_FOR_MS);
    }
    if (said.length > 0) throw new Error(`A worker complained:\n${said.join("")}`);
    return readHistory(readFileSync(log, "utf8"));
  } finally {
    ended = true;
    for (const worker of running) worker.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
}
