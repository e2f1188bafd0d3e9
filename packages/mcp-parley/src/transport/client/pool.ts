import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";

/**
 * How long an idle connection is kept, in milliseconds: less than the 5 s after which Node's own
 * servers hang up, so that a request seldom meets a connection that is being closed.
 */
const IDLE = 4_000;

/**
 * The most connections to one origin, over all clients of the process. Further requests wait their
 * turn, and their timeouts run meanwhile. Subscriptions are not counted: they have their own.
 */
export const MOST_CONNECTIONS = 256;

/** A share in the connections to one origin. */
export interface PoolShare {
  readonly agent: HttpAgent;
  /** Gives the share back. Idle connections close with the last one. */
  release(): void;
}

interface Pool {
  readonly agent: HttpAgent;
  shares: number;
}

const pools = new Map<string, Pool>();

/**
 * A share in the connections to the origin of a URL, which are kept alive and belong to all clients
 * of the process together. An idle one does not keep the process from ending.
 */
export function poolShare({ origin, protocol }: URL): PoolShare {
  let pool = pools.get(origin);
  if (pool === undefined) {
    const options = { keepAlive: true, timeout: IDLE, maxSockets: MOST_CONNECTIONS };
    const agent = protocol === "https:" ? new HttpsAgent(options) : new HttpAgent(options);
    pool = { agent, shares: 0 };
    pools.set(origin, pool);
  }
  const mine = pool;
  mine.shares += 1;
  let isReleased = false;
  return {
    agent: mine.agent,
    release() {
      if (isReleased) return;
      isReleased = true;
      mine.shares -= 1;
      if (mine.shares > 0) return;
      pools.delete(origin);
      mine.agent.destroy();
    },
  };
}
