import { PLAYS, load } from "./load.js";
import type { Load, Play } from "./load.js";
import { start } from "./contenders.js";
import type { Contender } from "./contenders.js";
import type { ServerProcess } from "./server-process.js";

/** One contender in one play, over all repetitions. */
export interface Measured {
  readonly contender: string;
  readonly play: string;
  readonly inFlight: number;
  /** Server CPU per operation, in µs, by the operating system's account. */
  readonly cpu: number[];
  readonly loads: Load[];
  /** Resident memory after each repetition, in bytes. */
  readonly rss: number[];
  /** How much of it are the ledger's live marks and kept results, in bytes. */
  readonly marks: number[];
}

/** What is measured against what: contenders in each play, plays on each contender. */
export interface Series {
  readonly plays: readonly (keyof typeof PLAYS)[];
  readonly inFlight: number;
  readonly contenders: readonly Contender[];
}

/** Operations before the counting begins: what they run is compiled by then, and not much sooner. */
const WARM_UP = 15_000;

/**
 * Plays a series: every contender in turn, again and again, so that what slows the machine slows
 * all of them.
 */
export async function overHttp(
  { plays, inFlight, contenders }: Series,
  repetitions: number,
  operations: number,
): Promise<Measured[]> {
  const running = await start(contenders);
  const measured = plays.flatMap((play) =>
    contenders.map(({ name: contender }): Measured => {
      return { contender, play, inFlight, cpu: [], loads: [], rss: [], marks: [] };
    }),
  );
  try {
    for (const [contender, server] of running) {
      for (const play of plays)
        await once(server, PLAYS[play], share(contender, WARM_UP), inFlight);
    }
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      for (const [contender, server] of running) {
        for (const play of plays) {
          const played = await once(server, PLAYS[play], share(contender, operations), inFlight);
          const into = measured.find(
            (each) => each.contender === contender.name && each.play === play,
          );
          into?.cpu.push(played.cpu);
          into?.loads.push(played.load);
          into?.rss.push(played.rss);
          into?.marks.push(played.marks);
        }
      }
    }
  } finally {
    for (const server of running.values()) server.stop();
  }
  return measured;
}

async function once(
  server: ServerProcess,
  play: Play,
  operations: number,
  inFlight: number,
): Promise<{ cpu: number; load: Load; rss: number; marks: number }> {
  const before = await server.usage();
  const played = await load(server.url, play, operations, inFlight);
  const after = await server.usage();
  if (played.errors > 0) throw new Error(`${String(played.errors)} wrong answers`);
  const { rss, marks } = after;
  return { cpu: (after.cpu - before.cpu) / played.operations, load: played, rss, marks };
}

function share({ weight }: Contender, operations: number): number {
  return Math.max(50, Math.round(operations * weight));
}
