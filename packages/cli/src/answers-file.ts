import { readFile } from "node:fs/promises";
import type { ElicitResult, FormContent } from "mcp-parley/client";
import { type CommandError, usage } from "./exit.js";
import { oneLine } from "./plain.js";

const ACTIONS = ["accept", "decline", "cancel"] as const;

/**
 * Answers prepared in a file, by the key of their question. An answer is used once: a server that
 * asks the same again has not been satisfied by it. A list is used up one by one.
 */
export class PreparedAnswers {
  readonly file: string;
  readonly #answers: Map<string, ElicitResult[]>;
  readonly #used = new Set<string>();

  constructor(file: string, answers: Map<string, ElicitResult[]>) {
    this.file = file;
    this.#answers = answers;
  }

  /** The next answer to a question, taken; undefined where there is none, or none any more. */
  take(key: string): ElicitResult | undefined {
    const answer = this.#answers.get(key)?.shift();
    if (answer !== undefined) this.#used.add(key);
    return answer;
  }

  has(key: string): boolean {
    return (this.#answers.get(key)?.length ?? 0) > 0;
  }

  /** Whether the question has been answered from here before. */
  wasUsed(key: string): boolean {
    return this.#used.has(key);
  }

  /** The keys nobody has asked for. */
  get unused(): string[] {
    return [...this.#answers.keys()].filter((key) => !this.#used.has(key));
  }
}

/** Reads a file of answers. A usage error names the file, and the key where one is wrong. */
export async function readAnswers(file: string): Promise<PreparedAnswers> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code ?? String(cause);
    throw usage(`The answers in ${oneLine(file)} can't be read (${why}).`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw usage(`${oneLine(file)} is not JSON: ${oneLine((cause as Error).message)}`);
  }
  if (!isObject(value)) {
    throw usage(
      `${oneLine(file)} has to hold an object: the answers by the key of their question.`,
    );
  }
  const answers = Object.entries(value).map(([key, given]): [string, ElicitResult[]] => {
    const list: unknown[] = Array.isArray(given) ? given : [given];
    return [key, list.map((one) => answerOf(one, key, file))];
  });
  return new PreparedAnswers(file, new Map(answers));
}

function answerOf(given: unknown, key: string, file: string): ElicitResult {
  const action = ACTIONS.find((word) => given === word);
  if (action !== undefined) return { action };
  if (!isObject(given)) throw wrong(key, file);
  const said = ACTIONS.find((word) => given["action"] === word);
  const rest = Object.keys(given).filter((name) => name !== "action" && name !== "content");
  if (said === undefined || rest.length > 0) {
    // No action: the content of an accepted form, written without ceremony.
    return { action: "accept", content: given as FormContent };
  }
  const { content } = given;
  if (content === undefined) return { action: said };
  if (!isObject(content)) throw wrong(key, file);
  return { action: said, content: content as FormContent };
}

function wrong(key: string, file: string): CommandError {
  return usage(
    `${oneLine(file)}: the answer to "${oneLine(key)}" has to be {"action": "accept", "content": {…}}, ` +
      'the content alone, "accept", "decline" or "cancel".',
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
