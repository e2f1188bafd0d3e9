import type {
  About,
  AnswerFunctions,
  ElicitRequestFormParams,
  ElicitResult,
  FormContent,
  FormValue,
  InputRequest,
  RoundEvent,
} from "mcp-parley/client";
import type { PreparedAnswers } from "./answers-file.js";
import { askForm } from "./ask-form.js";
import { askLink } from "./ask-link.js";
import type { Dialog } from "./dialog.js";
import { answerNeeded } from "./answer-needed.js";

/** Where answers come from. */
export interface Sources {
  /** Answers from a file: they come first. */
  readonly prepared: PreparedAnswers | undefined;
  /** Accepts, unasked, every form that can do with its defaults. */
  readonly acceptsForms: boolean;
  /** The person at the terminal, if there is one. */
  readonly dialog: Dialog | undefined;
  /** Whether pages may be opened for them. */
  readonly mayOpen: boolean;
  /** Called once a round is answered in full, and the server has its turn. */
  readonly onAnswered?: (() => void) | undefined;
}

/**
 * Answers a server's questions: from the file, else by defaults where that was asked for, else by
 * asking. Where none of it gives an answer the call ends with exit code 3 and a message that names
 * every question of the round that lacks one.
 */
export class Answering {
  readonly #sources: Sources;
  #questions: Readonly<Record<string, InputRequest>> = {};
  /** What was last said in a form, by key. */
  readonly #said = new Map<string, FormContent>();
  /** What was answered in this round, by key. */
  readonly #answered = new Map<string, ElicitResult["action"]>();

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** For `connect`. */
  get functions(): AnswerFunctions {
    const { dialog, mayOpen } = this.#sources;
    return {
      form: (question, about) =>
        this.#answer(
          about,
          dialog && (() => askForm(question, about, dialog, this.#said.get(about.key))),
        ),
      url: (question, about) =>
        this.#answer(about, dialog && (() => askLink(question, about, dialog, mayOpen))),
    };
  }

  /** Has to hear of every round, before its questions are put. */
  heard({ questions }: RoundEvent): void {
    this.#questions = questions;
    if (Object.keys(questions).length > 0) this.#answered.clear();
  }

  /** True where one of the last answers was no yes. */
  get wasNotAccepted(): boolean {
    return [...this.#answered.values()].some((action) => action !== "accept");
  }

  async #answer(
    { key, name }: About,
    ask: (() => Promise<ElicitResult>) | undefined,
  ): Promise<ElicitResult> {
    const answer = this.#sources.prepared?.take(key) ?? this.#byDefault(key) ?? (await ask?.());
    if (answer === undefined) {
      const lacking = Object.entries(this.#questions).filter(([other]) => this.#lacks(other));
      throw answerNeeded(lacking, name, this.#sources.prepared);
    }
    this.#answered.set(key, answer.action);
    if (this.#answered.size >= Object.keys(this.#questions).length) this.#sources.onAnswered?.();
    if (answer.content !== undefined) this.#said.set(key, answer.content);
    return answer;
  }

  /** Whether a question of this round has no answer, and nobody to give one. */
  #lacks(key: string): boolean {
    if (this.#answered.has(key) || this.#sources.prepared?.has(key) === true) return false;
    return this.#byDefault(key) === undefined;
  }

  #byDefault(key: string): ElicitResult | undefined {
    if (!this.#sources.acceptsForms) return undefined;
    const question = Object.hasOwn(this.#questions, key) ? this.#questions[key] : undefined;
    if (question?.method !== "elicitation/create" || question.params.mode === "url")
      return undefined;
    const content = defaultsOf(question.params);
    return content === undefined ? undefined : { action: "accept", content };
  }
}

/** What a form says where nobody fills it in; undefined where that is not enough. */
function defaultsOf({ requestedSchema }: ElicitRequestFormParams): FormContent | undefined {
  const fields = Object.entries(requestedSchema.properties);
  const content: FormContent = Object.fromEntries(
    fields.flatMap(([name, { default: initial }]): [string, FormValue][] =>
      initial === undefined ? [] : [[name, initial]],
    ),
  );
  const isEnough = (requestedSchema.required ?? []).every((name) => Object.hasOwn(content, name));
  return isEnough ? content : undefined;
}
