import { FLOOR_AEAD, WITHOUT_MARKS } from "./contenders.js";
import type { Contender } from "./contenders.js";
import { PLAYS, load } from "./load.js";
import { ServerProcess } from "./server-process.js";

/** Resident memory of each after a while under load, several readings, in bytes. */
export interface Memory {
  readonly floor: number[];
  readonly parley: number[];
}

const IN_FLIGHT = 64;

/**
 * The size that V8's young generation grows to, in MB. Ours is there after some 10,000 flows and the
 * floor after some 100,000: until then the two can't be compared, so both begin with it.
 */
const GROWN = ["--min-semi-space-size=16"];

/** What servers hold that have been at it for minutes, with 64 flows in flight. */
export async function memory(readings: number, operations: number): Promise<Memory> {
  return {
    floor: await residentOf(FLOOR_AEAD, readings, operations),
    parley: await residentOf(WITHOUT_MARKS, readings, operations),
  };
}

async function residentOf(
  { server, env }: Contender,
  readings: number,
  operations: number,
): Promise<number[]> {
  const running = await ServerProcess.start(server, env, GROWN);
  const resident: number[] = [];
  try {
    for (let reading = 0; reading < readings; reading += 1) {
      await load(running.url, PLAYS.flow, operations, IN_FLIGHT);
      resident.push((await running.usage()).rss);
    }
  } finally {
    running.stop();
  }
  return resident;
}
