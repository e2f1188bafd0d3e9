/**
 * Puts questions and finds their answers.
 *
 * 1. An answer counts only for the question it was given to: same key, same digest.
 * 2. A question that has changed is asked again, once per key; what a settled effect rests on must
 *    not change at all.
 * 3. A wire answer is read anew on every run; one that does not fit is asked for again.
 */
import { missingCapabilities } from "../protocol/capabilities.js";
import type { ClientCapabilities } from "../protocol/capabilities.js";
import { ParleyError } from "../protocol/errors.js";
import type { InputResponse } from "../protocol/input.js";
import { chain, isPromiseLike } from "../protocol/json.js";
import type { Awaitable } from "../protocol/json.js";
import { CapabilityMissing, ended } from "./endings.js";
import type { AnswerRecord, Journal } from "./journal.js";
import { checkKey } from "./key.js";
import { asking } from "./question.js";
import type { Answer, Asking, Question, Reading } from "./question.js";
import { Link, checkedUrl } from "./questions/link.js";
import type { RoundEnd } from "./round-end.js";
import { SUSPENDED, handled, rejected } from "./suspension.js";
import type { RoundTools } from "./tools.js";
import { waitUntil } from "./until.js";

/** What bounds and feeds the asking. */
export interface AskerFacts {
  readonly capabilities: ClientCapabilities;
  /** How often one question may be put. */
  readonly repeats: number;
  /** Answers that came with a first call, before anything was asked. */
  readonly unasked: ReadonlyMap<string, InputResponse>;
}

interface Put {
  readonly digest: string;
  readonly answer: Promise<Answer<unknown>>;
}

const SECRETIVE = /passw|secret|api.?key|access.?token|credential|card.?number|\b(cvv|cvc|pin)\b/i;

export class Asker {
  readonly #facts: AskerFacts;
  readonly #journal: Journal;
  readonly #end: RoundEnd;
  readonly #tools: RoundTools;
  readonly #puts = new Map<string, Put>();
  /** Work that has begun and belongs to the round. */
  readonly #begin: (work: Promise<unknown>) => void;

  constructor(
    facts: AskerFacts,
    journal: Journal,
    end: RoundEnd,
    tools: RoundTools,
    begin: (work: Promise<unknown>) => void,
  ) {
    this.#facts = facts;
    this.#journal = journal;
    this.#end = end;
    this.#tools = tools;
    this.#begin = begin;
  }

  /** The handler is about to run from the top again. */
  restart(): void {
    this.#puts.clear();
  }

  put<T>(key: string, question: Question<T>): Promise<Answer<T>> {
    if (this.#end.closed || this.#end.rewound) return SUSPENDED;
    try {
      checkKey(key);
      const inside = asking(question);
      const { digest } = inside;
      const before = this.#puts.get(key);
      if (before === undefined) {
        const answer = this.#answer(key, inside);
        this.#puts.set(key, { digest, answer });
        return answer;
      }
      if (before.digest === digest) return before.answer as Promise<Answer<T>>;
      throw new ParleyError(
        "question_conflict",
        `Two different questions were put under '${key}' in one run. Give each a key of its own.`,
      );
    } catch (error) {
      return rejected(error as Error);
    }
  }

  #answer<T>(key: string, question: Asking<T>): Promise<Answer<T>> {
    const record = this.#record(key, question);
    if (record === undefined) return this.#pend(key, question);
    const answer = chain(question.read(record.response), (reading) =>
      this.#judge(key, question, record, reading),
    );
    return isPromiseLike(answer) ? handled(Promise.resolve(answer)) : Promise.resolve(answer);
  }

  /** The recorded answer to this very question, if there is one. */
  #record<T>(key: string, question: Asking<T>): AnswerRecord | undefined {
    const record = this.#journal.read("answer", key);
    if (record === undefined) return this.#takeUnasked(key, question);
    if (record.digest === question.digest) return record;
    if (this.#journal.isBehindEffect(record)) throw this.#end.fail(ended.diverged(key));
    const note = this.#journal.note(key);
    this.#tools.emit({ type: "question_changed", key });
    if (++note.changed > 1) throw this.#end.fail(ended.unstable(key));
    this.#journal.drop(record);
    note.url = undefined;
    note.reason = "This question has changed since it was answered.";
    return undefined;
  }

  #takeUnasked<T>(key: string, question: Asking<T>): AnswerRecord | undefined {
    const response = question.upFront ? this.#facts.unasked.get(key) : undefined;
    if (response === undefined) return undefined;
    const { digest } = question;
    const record: AnswerRecord = { kind: "answer", key, digest, response };
    this.#journal.add(record);
    return record;
  }

  #judge<T>(
    key: string,
    question: Asking<T>,
    record: AnswerRecord,
    reading: Reading<T>,
  ): Awaitable<Answer<T>> {
    if ("invalid" in reading) {
      if (this.#journal.isBehindEffect(record)) throw this.#end.fail(ended.diverged(key));
      this.#tools.emit({ type: "answer_rejected", key });
      this.#journal.drop(record);
      this.#journal.note(key).reason = reading.invalid;
      return this.#pend(key, question);
    }
    const { answer } = reading;
    if (answer.action === "accept" && question instanceof Link && question.until !== undefined) {
      return this.#awaitOpened(key, question, answer);
    }
    return answer;
  }

  /** An accepted link goes on once what it is for has happened, until then in state-only rounds. */
  async #awaitOpened<T>(key: string, link: Link, answer: Answer<T>): Promise<Answer<T>> {
    if (this.#journal.read("opened", key) !== undefined) return answer;
    const { flow, clock } = this.#tools;
    if (!(await waitUntil(link, { flow, key }, this.#tools.signal(), clock))) {
      return this.#end.stateOnly();
    }
    this.#journal.add({ kind: "opened", key });
    return answer;
  }

  #pend<T>(key: string, question: Asking<T>): Promise<never> {
    const missing = missingCapabilities(question.requires, this.#facts.capabilities);
    if (missing !== undefined) throw new CapabilityMissing(key, missing);
    const { repeats } = this.#facts;
    const note = this.#journal.note(key);
    if (++note.put > repeats) throw this.#end.fail(ended.repeats(key, repeats));
    this.#tools.checkRoom();
    this.#tools.emit({ type: "question_put", key, put: note.put });
    for (const field of question.fieldNames) {
      if (SECRETIVE.test(field)) this.#tools.emit({ type: "secret_asked", key, field });
    }
    if (question instanceof Link && question.makeUrl !== undefined && note.url === undefined) {
      return this.#pendWithUrl(key, question, question.makeUrl);
    }
    const { reason, defaults, url } = note;
    return this.#end.put(key, { question, putting: { reason, defaults, url } });
  }

  /** Makes a link's URL, once, and puts the question when it is there. */
  #pendWithUrl(key: string, question: Link, makeUrl: NonNullable<Link["makeUrl"]>): Promise<never> {
    const made = (async (): Promise<never> => {
      const note = this.#journal.note(key);
      note.url = checkedUrl(await makeUrl(this.#tools.ticket(key)));
      if (this.#end.closed) return SUSPENDED;
      return this.#end.put(key, { question, putting: { url: note.url, reason: note.reason } });
    })();
    this.#begin(made);
    return handled(made);
  }
}
