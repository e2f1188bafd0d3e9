/** One line of a history; all of them, in order, are what happened. */
export interface Happened {
  readonly kind:
    | "ask"
    | "fresh"
    | "released"
    | "effect"
    | "told"
    | "unknown"
    | "mismatch"
    | "past"
    | "failed"
    | "SIGKILL"
    | "SIGSTOP";
  readonly by: string;
  readonly id?: string;
  readonly attempt?: number;
  readonly outcome?: string | null;
  readonly refused?: boolean;
  readonly code?: string;
}

/** Reads a log; a last line that a killed process did not finish does not count. */
export function readHistory(log: string): Happened[] {
  return log
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Happened);
}

/** What must hold of a history: `effect` for claims that guard an effect, else rounds. */
export function faultsOf(
  history: readonly Happened[],
  ids: readonly string[],
  effect: boolean,
): string[] {
  return ids.flatMap((id) => {
    const mine = history.filter((line) => line.id === id);
    return [
      ...(effect ? effectsOf(mine) : []),
      ...outcomesOf(mine),
      ...freshAfterTold(mine),
      ...refusedWrongly(mine),
      ...undecided(mine, effect),
    ].map((fault) => `${id}: ${fault}`);
  });
}

/** Nobody takes an effect over here, so it happens once or not at all. */
function effectsOf(mine: readonly Happened[]): string[] {
  const count = mine.filter(({ kind }) => kind === "effect").length;
  return count > 1 ? [`${count} effects`] : [];
}

function outcomesOf(mine: readonly Happened[]): string[] {
  const told = new Set(mine.filter(({ kind }) => kind === "told").map(({ outcome }) => outcome));
  return [
    ...(told.size > 1 ? [`${told.size} outcomes: ${[...told].join(" | ")}`] : []),
    ...(told.has(null) ? ["an outcome was lost"] : []),
  ];
}

/** Whoever asks after somebody was told may not be the one to act. */
function freshAfterTold(mine: readonly Happened[]): string[] {
  const told = mine.findIndex(({ kind }) => kind === "told");
  if (told === -1) return [];
  const asked = new Set(
    mine.flatMap(({ kind, by, attempt }, index) =>
      kind === "ask" && index > told ? [`${by}/${attempt ?? ""}`] : [],
    ),
  );
  const fresh = mine.filter(
    ({ kind, by, attempt }) => kind === "fresh" && asked.has(`${by}/${attempt ?? ""}`),
  );
  return fresh.map(({ by }) => `fresh for ${by} after it was settled`);
}

/** Only other answers than those that stand are a mismatch; and no time is over here. */
function refusedWrongly(mine: readonly Happened[]): string[] {
  const settled = mine.some(({ kind }) => kind === "told");
  const wrong = mine.filter(
    ({ kind, refused }) => kind === "past" || (kind === "mismatch" && refused !== true && !settled),
  );
  return wrong.map(({ kind, by }) => `${kind} for ${by}`);
}

/** In the end somebody was told; of an effect, perhaps only that nobody knows. */
function undecided(mine: readonly Happened[], effect: boolean): string[] {
  const ends = mine.filter(({ kind }) => kind === "told" || (effect && kind === "unknown"));
  return ends.length === 0 ? ["nobody was told"] : [];
}
