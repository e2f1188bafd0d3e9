/**
 * Where a worker can stop, in the order in which a round comes by:
 *
 * - `after claim`: the round is claimed, its handler has not run
 * - `before effect`: an effect is claimed and has not begun
 * - `inside effect`: an effect has happened, and nobody was told
 * - `after effect`: an effect is recorded, the handler not yet told
 * - `before settle`: the handler has come to its end, and nobody was told
 * - `after settle`: the result is recorded, and its reply is lost
 */
export const POINTS = [
  "after claim",
  "before effect",
  "inside effect",
  "after effect",
  "before settle",
  "after settle",
] as const;

/** One of the {@link POINTS}. */
export type StoppingPoint = (typeof POINTS)[number];

/** What befalls the requests of a rehearsal. Nothing, where nothing is said. */
export interface Condition {
  /** For the title of a test. */
  readonly name: string;
  /** Has one instance serve everything, rather than every request a fresh one. */
  readonly oneInstance?: boolean;
  /** How often each request is delivered: 1 to 5. Default 1. */
  readonly deliveries?: number;
  /** Delivers them all at once, rather than in turn. */
  readonly atOnce?: boolean;
  /** Loses the first reply to each request; the request is then delivered again. */
  readonly loseReplies?: boolean;
  /** Stops the first worker that comes to this point, for good; another one goes on. */
  readonly stopAt?: StoppingPoint;
}

/** Everything that can befall a tool, one condition for each test: what should hold holds under all. */
export const conditions: readonly Condition[] = [
  { name: "one instance", oneInstance: true },
  { name: "every round on a fresh instance" },
  { name: "every request delivered twice", deliveries: 2 },
  { name: "every request delivered five times", deliveries: 5 },
  { name: "every request delivered twice at once", deliveries: 2, atOnce: true },
  { name: "every request delivered five times at once", deliveries: 5, atOnce: true },
  { name: "every reply lost once", loseReplies: true },
  ...POINTS.map((stopAt) => ({ name: `a worker stopped ${stopAt}`, stopAt })),
];
