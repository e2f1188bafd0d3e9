import { FLOOR, FLOOR_AEAD, IN_OFFICIAL, official, parley } from "./contenders.js";
import type { Contender } from "./contenders.js";
import type { Series } from "./over-http.js";

/** Whatever serves ours: the fetch handler is always measured, frameworks take their time. */
export const QUICK_HOSTS: readonly Contender[] = [parley(0, "fetch")];
export const HOSTED: readonly Contender[] = [
  ...QUICK_HOSTS,
  parley(0, "express"),
  parley(0, "hono"),
  parley(0, "fastify"),
];

/** What every run measures, with ours served by `hosts` beside our own node:http handler. */
export function seriesOf(hosts: readonly Contender[]): Series[] {
  const flow = [FLOOR, FLOOR_AEAD, parley(0), parley(500), ...hosts, official(0), official(500)];
  return [
    { plays: ["plain"], inFlight: 16, contenders: [FLOOR, parley(0), official(0)] },
    { plays: ["first leg"], inFlight: 16, contenders: [FLOOR_AEAD, parley(0), official(0)] },
    { plays: ["flow"], inFlight: 16, contenders: flow },
    { plays: ["flow"], inFlight: 64, contenders: [FLOOR_AEAD, parley(0)] },
    {
      plays: ["five rounds", "two rounds"],
      inFlight: 16,
      contenders: [FLOOR_AEAD, parley(0), official(0)],
    },
  ];
}

/** What only a whole run measures. */
export const MORE: readonly Series[] = [
  { plays: ["flow"], inFlight: 1, contenders: [FLOOR_AEAD, parley(0), official(0)] },
  { plays: ["flow"], inFlight: 16, contenders: [parley(50), official(50), IN_OFFICIAL] },
];
