import { ParleyError } from "../protocol/errors.js";
import type { InputResponses } from "../protocol/input.js";
import type { AskingMethod } from "../protocol/methods.js";
import { Allowance } from "./allowance.js";
import type { AnswerFunctions, Asker } from "./answers.js";
import { answerRound } from "./ask.js";
import type { ResultOf } from "./calls.js";
import { type Cancellation, Canceller, follow } from "./cancel.js";
import { type Clock, pause } from "./clock.js";
import { UnfinishedError } from "./errors.js";
import type { ClientLimits } from "./limits.js";
import { paceOf } from "./pace.js";
import { type PendingCall, openQuestions, withAnswers } from "./pending.js";
import type { CallMade, Turn, TurnOptions, Turns } from "./turns.js";

/** What calls are played with. */
export interface Playing {
  readonly turns: Turns;
  readonly server: Asker;
  readonly functions: AnswerFunctions;
  readonly limits: Readonly<Record<keyof ClientLimits, number>>;
  readonly clock: Clock;
  /** Cancelled when the client closes. */
  readonly closing: Cancellation;
}

/**
 * Plays a call to its end: the host's functions answer, pauses are kept, limits hold.
 *
 * 1. Nothing is sent once the call was aborted, a function failed, or a limit was reached.
 * 2. Rounds with questions are counted; rounds without are paced, and bounded by time.
 * 3. The time answers take is counted apart from the time the server takes.
 */
export async function playOut<Method extends AskingMethod>(
  call: CallMade<Method>,
  playing: Playing,
  timeout: number,
  options: TurnOptions,
): Promise<ResultOf<Method>> {
  const { turns, limits, clock } = playing;
  const waiting = new Allowance(options.maxTotalTimeout ?? limits.totalTime, clock);
  const answering = new Allowance(limits.answerTime, clock);
  let asked = 0;
  // A timeout that progress renews has to end with the call's own time.
  const bounded = (): TurnOptions =>
    options.resetTimeoutOnProgress === true
      ? { ...options, maxTotalTimeout: waiting.left }
      : options;
  let turn = await waiting.spend(() =>
    turns.begin(call, Math.min(timeout, waiting.left), bounded()),
  );
  while (turn.kind === "input_required") {
    let pending = turn.pending;
    const before = answering.used;
    if (openQuestions(pending).length > 0) {
      asked += 1;
      if (asked > limits.rounds) throw tooManyRounds(pending, limits.rounds);
      const answers = await answering.spend(() =>
        answerInTime(pending, playing, answering.left, options.signal),
      );
      pending = withAnswers(pending, answers);
    } else {
      await waiting.spend(() => keepPace(pending, playing, waiting.left, options.signal));
    }
    if (waiting.left === 0) throw outOfTime(pending, "totalTime");
    const took = answering.used - before;
    turn = await waiting.spend(() =>
      turns.retry(pending, Math.min(timeout, waiting.left), bounded(), took),
    );
  }
  return resultOf(call.method, turn);
}

/** The pause before a round that only waits; where it is longer than what is left, the call ends. */
export async function keepPace(
  pending: PendingCall,
  { clock, closing }: Pick<Playing, "clock" | "closing">,
  left: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const ms = paceOf(pending.idle);
  if (ms > left) throw outOfTime(pending, "totalTime");
  const stopping = new Canceller();
  const unfollow = follow(stopping, signal, closing);
  try {
    await pause(clock, ms, stopping);
  } finally {
    unfollow();
  }
}

async function answerInTime(
  pending: PendingCall,
  { server, functions, clock, closing }: Playing,
  left: number,
  signal: AbortSignal | undefined,
): Promise<InputResponses> {
  const failing = new Canceller();
  const unfollow = follow(failing, signal, closing);
  const takeBack = clock.after(left, () => failing.cancel(outOfTime(pending, "answerTime")));
  try {
    return await answerRound(pending, server, functions, failing);
  } finally {
    takeBack();
    unfollow();
  }
}

function resultOf<Method extends AskingMethod>(
  method: Method,
  turn: Exclude<Turn<Method>, { kind: "input_required" }>,
): ResultOf<Method> {
  switch (turn.kind) {
    case "complete":
      return turn.result;
    case "refused":
      throw turn.error;
    case "extension":
      throw new ParleyError(
        "usage",
        `The server answered ${method} with "${turn.resultType}", which an extension defines: use begin(), which gives it to you.`,
        { cause: turn },
      );
  }
}

function tooManyRounds(pending: PendingCall, limit: number): UnfinishedError {
  return new UnfinishedError(
    "rounds_exhausted",
    `The server asked again after ${limit} rounds of answers: raise limits.rounds, or go on from the error's pending call.`,
    pending,
  );
}

function outOfTime(pending: PendingCall, limit: keyof ClientLimits): UnfinishedError {
  return new UnfinishedError(
    "time_exhausted",
    `The call has used up its time: raise ${limit === "totalTime" ? "maxTotalTimeout or " : ""}limits.${limit}, or go on from the error's pending call.`,
    pending,
  );
}
