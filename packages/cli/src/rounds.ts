import type { RoundEvent } from "mcp-parley/client";
import { kindInWords } from "./asked.js";
import { oneLine } from "./plain.js";

const OUTCOMES: Readonly<Record<RoundEvent["outcome"], string>> = {
  complete: "complete",
  input_required: "comes back later",
  refused: "state refused",
  extension: "an extension's result",
  error: "error",
};

/** One round on one line, as -v shows it. */
export function roundInWords(event: RoundEvent): string {
  const { round, id, outcome, stateSize, took, answering } = event;
  const questions = Object.entries(event.questions).map(
    ([key, request]) => `${oneLine(key, 60)} (${kindInWords(request)})`,
  );
  return [
    `round ${round}`,
    `id ${id}`,
    questions.length > 0 ? `asks ${questions.join(", ")}` : OUTCOMES[outcome],
    stateSize === undefined ? "no state" : `state ${stateSize} characters`,
    `took ${duration(took)}`,
    ...(answering > 0 ? [`after ${duration(answering)} of answering`] : []),
  ].join(" · ");
}

/** Milliseconds in words. */
export function duration(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
