import { chain, isObject } from "../protocol/json.js";
import type { Awaitable } from "../protocol/json.js";
import type { Principal } from "../state/principal.js";
import type { Reply } from "./context.js";
import type { Incoming } from "./incoming.js";
import { malformedReply, resultReply } from "./respond.js";
import type { ResultText } from "./result-text.js";
import { refuseUngranted } from "./scopes.js";
import type { NeededScopes } from "./scopes.js";

/** What is known when an argument is completed. */
export interface CompletionContext {
  /** The arguments that are already filled in. */
  readonly arguments: Readonly<Record<string, string>>;
  readonly principal: Principal | undefined;
  readonly signal: AbortSignal;
}

/** Suggests values for what was typed so far, the best first; the first hundred are sent. */
export type Completer = (value: string, context: CompletionContext) => Awaitable<readonly string[]>;

/** Completers by the name of the argument or variable. */
export type Completers = Readonly<Record<string, Completer>>;

/** A prompt or a resource template, as far as its completion goes. */
export interface Completable {
  readonly completers: Completers;
  /** Suggestions tell of what is behind them, so they need the same scopes. */
  readonly scopes: NeededScopes;
}

/** Finds a prompt or a resource template; undefined where the caller is shown none such. */
export type FindCompleters = (incoming: Incoming, name: string) => Completable | undefined;

/** The most suggestions one result may hold. Specification: server/utilities/completion. */
const MOST_VALUES = 100;

/** Answers `completion/complete`. */
export class Completion {
  readonly #results: ResultText;
  readonly #ofPrompt: FindCompleters;
  readonly #ofTemplate: FindCompleters;

  constructor(results: ResultText, ofPrompt: FindCompleters, ofTemplate: FindCompleters) {
    this.#results = results;
    this.#ofPrompt = ofPrompt;
    this.#ofTemplate = ofTemplate;
  }

  complete(incoming: Incoming): Awaitable<Reply> {
    const refuse = (why: string): Reply => malformedReply(incoming.id, why);
    const argument = incoming.param("argument");
    if (!isObject(argument)) return refuse("params.argument is an object");
    const { name, value } = argument;
    if (typeof name !== "string" || typeof value !== "string") {
      return refuse("params.argument has a name and a value, both texts");
    }
    const found = this.#find(incoming);
    if (found === undefined) {
      return refuse("params.ref names no prompt and no resource template");
    }
    const refused = refuseUngranted(incoming, found.scopes);
    if (refused !== undefined) return refused;
    const { completers } = found;
    const filledIn = contextOf(incoming.param("context"));
    if (filledIn === undefined) return refuse("params.context.arguments is an object of texts");
    const completer = Object.hasOwn(completers, name) ? completers[name] : undefined;
    const { principal } = incoming.context;
    const context = {
      arguments: filledIn,
      principal,
      get signal() {
        return incoming.context.signal;
      },
    };
    return chain(completer?.(value, context) ?? [], (values) => {
      const completion = {
        values: values.slice(0, MOST_VALUES),
        total: values.length,
        hasMore: values.length > MOST_VALUES,
      };
      return resultReply(incoming.id, this.#results.complete({ completion }));
    });
  }

  #find(incoming: Incoming): Completable | undefined {
    const ref = incoming.param("ref");
    if (!isObject(ref)) return undefined;
    const { type, name, uri } = ref;
    if (type === "ref/prompt" && typeof name === "string") return this.#ofPrompt(incoming, name);
    if (type === "ref/resource" && typeof uri === "string") return this.#ofTemplate(incoming, uri);
    return undefined;
  }
}

function contextOf(context: unknown): Readonly<Record<string, string>> | undefined {
  const given = isObject(context)
    ? (context["arguments"] ?? {})
    : context === undefined
      ? {}
      : null;
  if (!isObject(given) || !Object.values(given).every((value) => typeof value === "string")) {
    return undefined;
  }
  return given as Record<string, string>;
}
