/**
 * One round of a flow, as its handler sees it.
 *
 * 1. After the first suspension `ask` still joins the round; nothing else begins.
 * 2. No effect begins in a round that arrived without state: first the client has to hold the flow.
 * 3. Every promise handed out is handled, so that dropping it harms nobody.
 */
import { missingCapabilities } from "../protocol/capabilities.js";
import type { ClientCapabilities } from "../protocol/capabilities.js";
import { ParleyError } from "../protocol/errors.js";
import type { Awaitable, JSONValue } from "../protocol/json.js";
import type { LoggingLevel } from "../protocol/notifications.js";
import type { Principal } from "../state/principal.js";
import { INSPECT } from "../state/ring-key.js";
import { Asker } from "./asker.js";
import type { AskerFacts } from "./asker.js";
import type { Call, Effect, OnceOptions } from "./call.js";
import { NotAccepted } from "./endings.js";
import type { Journal } from "./journal.js";
import { jsonText } from "./json-text.js";
import { checkKey } from "./key.js";
import type { Answer, AnswerOf, Question, QuestionKind } from "./question.js";
import { RoundEnd } from "./round-end.js";
import { SUSPENDED, handled, rejected, suspend } from "./suspension.js";
import type { RoundTools } from "./tools.js";

/** What a round is about. */
export interface RoundFacts extends AskerFacts {
  readonly round: number;
  /** True when the request carried a state. */
  readonly held: boolean;
  readonly principal: Principal | undefined;
}

export class Round implements Call {
  readonly end = new RoundEnd();
  /** Work the handler has begun and not finished. */
  readonly begun = new Set<Promise<unknown>>();
  readonly #facts: RoundFacts;
  readonly #journal: Journal;
  readonly #tools: RoundTools;
  readonly #asker: Asker;
  readonly #running = new Map<string, Promise<unknown>>();

  constructor(facts: RoundFacts, journal: Journal, tools: RoundTools) {
    this.#facts = facts;
    this.#journal = journal;
    this.#tools = tools;
    this.#asker = new Asker(facts, journal, this.end, tools, (work) => this.#begin(work));
  }

  /** Makes ready for the handler to run from the top again. */
  restart(): void {
    this.end.restart();
    this.#asker.restart();
    this.#running.clear();
    this.#journal.startRun();
  }

  get principal(): Principal | undefined {
    return this.#facts.principal;
  }

  get round(): number {
    return this.#facts.round;
  }

  get signal(): AbortSignal {
    return this.#tools.signal();
  }

  ask<T>(key: string, question: Question<T>): Promise<T> {
    return handled(this.#asker.put(key, question).then((answer) => contentOf(key, answer)));
  }

  tryAsk<T>(key: string, question: Question<T>): Promise<Answer<T>> {
    if (question.kind === "form" || question.kind === "url") return this.#asker.put(key, question);
    return rejected(
      new ParleyError("usage", "call.tryAsk takes forms and links: nothing else is declined"),
    );
  }

  askAll<Q extends Readonly<Record<string, Question<unknown>>>>(
    questions: Q,
  ): Promise<{ [K in keyof Q]: AnswerOf<Q[K]> }> {
    const asked = Object.entries(questions).map(async ([key, question]) => {
      return [key, await this.ask(key, question)] as const;
    });
    const all = Promise.all(asked).then((answers) => Object.fromEntries(answers));
    return handled(all as Promise<{ [K in keyof Q]: AnswerOf<Q[K]> }>);
  }

  once<T>(
    key: string,
    effect: (effect: Effect) => Awaitable<T>,
    options: OnceOptions<T> = {},
  ): Promise<T> {
    if (this.#closed) return SUSPENDED;
    const known = this.#journal.read("effect", key);
    if (known !== undefined && !known.inLedger) return Promise.resolve(known.value as T);
    if (!this.#facts.held) return this.end.stateOnly();
    return this.#run(`once ${key}`, key, async () => {
      // What cannot be carried on must not begin.
      this.#tools.checkRoom();
      const result = await this.#tools.perform(key, effect, options);
      if (result.kind === "busy") return this.end.stateOnly();
      this.#journal.add({ kind: "effect", key, value: result.value, inLedger: result.inLedger });
      return result.value as T;
    });
  }

  memo<T>(key: string, compute: () => Awaitable<T>): Promise<T> {
    if (this.#closed) return SUSPENDED;
    const known = this.#journal.read("memo", key);
    if (known !== undefined) return Promise.resolve(known.value as T);
    return this.#run(`memo ${key}`, key, async () => {
      const value = asJson(key, await compute());
      this.#journal.add({ kind: "memo", key, value });
      return value as T;
    });
  }

  rewind(key: string): never {
    if (this.#closed) suspend();
    if (!this.#journal.cut(key)) {
      throw new ParleyError("usage", `call.rewind('${key}'): nothing was answered under that key`);
    }
    this.end.rewind();
    suspend();
  }

  checkpoint(key: string): Promise<void> {
    if (this.#closed) return SUSPENDED;
    if (this.#journal.read("checkpoint", key) !== undefined) return Promise.resolve();
    this.#journal.add({ kind: "checkpoint", key });
    return this.end.stateOnly();
  }

  can(kind: QuestionKind | "sampling.tools"): boolean {
    return missingCapabilities(NEEDS[kind], this.#facts.capabilities) === undefined;
  }

  progress(progress: number, total?: number, message?: string): void {
    if (!this.end.closed) this.#tools.progress(progress, total, message);
  }

  log(level: LoggingLevel, data: unknown, logger?: string): void {
    if (!this.end.closed) this.#tools.log(level, data, logger);
  }

  /** Whoever logs a call does not log its answers. */
  toJSON(): { round: number } {
    return { round: this.round };
  }

  [INSPECT](): string {
    return `Call { round: ${String(this.round)} }`;
  }

  get #closed(): boolean {
    return this.end.closed || this.end.suspended;
  }

  /** Two calls under one key in one run are one. */
  #run<T>(id: string, key: string, run: () => Promise<T>): Promise<T> {
    const running = this.#running.get(id);
    if (running !== undefined) return running as Promise<T>;
    try {
      checkKey(key);
    } catch (error) {
      return rejected(error as Error);
    }
    const promise = handled(run());
    this.#running.set(id, promise);
    this.#begin(promise);
    return promise;
  }

  #begin(work: Promise<unknown>): void {
    this.begun.add(work);
    const done = (): void => void this.begun.delete(work);
    work.then(done, done);
  }
}

const NEEDS: Record<QuestionKind | "sampling.tools", ClientCapabilities> = {
  form: { elicitation: { form: {} } },
  url: { elicitation: { url: {} } },
  sampling: { sampling: {} },
  "sampling.tools": { sampling: { tools: {} } },
  roots: { roots: {} },
};

function contentOf<T>(key: string, answer: Answer<T>): T {
  if (answer.action === "accept") return answer.content;
  throw new NotAccepted(answer.action === "decline" ? "declined" : "cancelled", key);
}

function asJson(key: string, value: unknown): JSONValue | undefined {
  const text = jsonText(key, value);
  return text === undefined ? undefined : (JSON.parse(text) as JSONValue);
}
