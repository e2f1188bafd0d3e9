import { INVALID_PARAMS } from "../protocol/codes.js";
import { ParleyError } from "../protocol/errors.js";
import type { GetPromptResult, Prompt, PromptArgument } from "../protocol/features.js";
import { chain, isObject } from "../protocol/json.js";
import type { Awaitable } from "../protocol/json.js";
import { PROMPTS_GET } from "../protocol/methods.js";
import { checkScopes } from "../protocol/check-scopes.js";
import type { Call } from "../flow/call.js";
import { jsonSchemaOf, validate } from "../flow/schema.js";
import type { StandardSchema, Validated } from "../flow/schema.js";
import { flowSettings } from "../flow/settings.js";
import type { FlowSettings } from "../flow/settings.js";
import type { Completable, Completers } from "./completion.js";
import type { Reply } from "./context.js";
import type { PromptDefinition, PromptHandler } from "./definitions.js";
import { ownFailureOf } from "./failures.js";
import { asError, runRound } from "./feature.js";
import type { FeatureParts } from "./feature.js";
import type { Incoming } from "./incoming.js";
import { List } from "./list.js";
import type { ListOptions, Visible } from "./list.js";
import { errorReply, malformedReply } from "./respond.js";
import { shownSchema } from "./shown-schemas.js";
import { checkShown } from "./shown.js";
import { checkSalient } from "./salient.js";
import { refuseUngranted } from "./scopes.js";
import type { NeededScopes } from "./scopes.js";

type AnyHandler = (args: unknown, call: Call) => Awaitable<GetPromptResult>;

interface PromptEntry {
  readonly name: string;
  readonly args: StandardSchema | undefined;
  readonly visible: Visible | undefined;
  readonly scopes: NeededScopes;
  readonly completers: Completers;
  readonly settings: FlowSettings;
  readonly handler: AnyHandler;
}

/** The prompts of one server. Specification: server/prompts. */
export class Prompts {
  readonly list: List<Prompt>;
  readonly #entries = new Map<string, PromptEntry>();
  readonly #parts: FeatureParts;

  constructor(parts: FeatureParts, options: ListOptions) {
    this.#parts = parts;
    this.list = new List("prompts", options, parts.results);
  }

  add<Args extends StandardSchema | undefined>(
    name: string,
    definition: PromptDefinition<Args>,
    handler: PromptHandler<Args>,
  ): void {
    if (name === "") throw new ParleyError("usage", "A prompt needs a name");
    if (this.#entries.has(name)) {
      throw new ParleyError("usage", `There is a prompt '${name}' already`);
    }
    const { argsSchema: args, flow, visible, scopes, complete, ...shown } = definition;
    checkShown(`Prompt '${name}'`, definition);
    const prompt: Prompt = {
      name,
      ...shown,
      icons: shown.icons === undefined ? undefined : [...shown.icons],
      ...(args === undefined ? {} : { arguments: argumentsOf(name, args) }),
    };
    checkSalient(`Prompt '${name}'`, flow?.salient, args && jsonSchemaOf(args));
    this.list.add(prompt, visible);
    this.#entries.set(name, {
      name,
      args,
      visible,
      scopes: scopes && checkScopes(`Prompt '${name}'`, scopes),
      completers: complete ?? {},
      settings: flowSettings(flow, this.#parts.settings),
      handler: handler as AnyHandler,
    });
  }

  get(incoming: Incoming): Awaitable<Reply> {
    const name = incoming.param("name");
    const given = incoming.param("arguments") ?? {};
    if (typeof name !== "string") return malformedReply(incoming.id, "params.name is a text");
    if (!isObject(given) || !Object.values(given).every((value) => typeof value === "string")) {
      return malformedReply(incoming.id, "params.arguments is an object of texts");
    }
    const prompt = this.#find(incoming, name);
    if (prompt === undefined) {
      return errorReply(incoming.id, INVALID_PARAMS, `Unknown prompt: ${name.slice(0, 128)}`);
    }
    const refused = refuseUngranted(incoming, prompt.scopes);
    if (refused !== undefined) return refused;
    if (prompt.args === undefined) return this.#run(incoming, prompt, given);
    return chain(validate(prompt.args, given), (args: Validated<unknown>) =>
      args.ok
        ? this.#run(incoming, prompt, args.value)
        : malformedReply(incoming.id, args.issues.join("; ").slice(0, 1000)),
    );
  }

  /** The completers of a prompt that the caller is shown. */
  completers(incoming: Incoming, name: string): Completable | undefined {
    return this.#find(incoming, name);
  }

  #find(incoming: Incoming, name: string): PromptEntry | undefined {
    const prompt = this.#entries.get(name);
    return prompt?.visible?.(incoming.context.principal) === false ? undefined : prompt;
  }

  #run(incoming: Incoming, prompt: PromptEntry, args: unknown): Awaitable<Reply> {
    return runRound<GetPromptResult>(this.#parts, incoming, {
      method: PROMPTS_GET,
      name: prompt.name,
      settings: prompt.settings,
      run: (call) => prompt.handler(args, call),
      complete: (result) => {
        if (!isObject(result) || !Array.isArray(result.messages)) {
          throw new ParleyError("usage", `Prompt ${prompt.name} gave no messages`);
        }
        return this.#parts.results.complete(result);
      },
      failed: (error) => asError(ownFailureOf(error)),
    });
  }
}

/** A prompt's arguments, as its schema's fields. */
function argumentsOf(prompt: string, schema: StandardSchema): PromptArgument[] {
  const { properties, required } = shownSchema(`Prompt '${prompt}'`, schema);
  if (!isObject(properties)) {
    throw new ParleyError("usage", `The argsSchema of prompt '${prompt}' is an object of texts`);
  }
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(properties).map(([name, property]) => {
    const { title, description } = isObject(property) ? property : {};
    return {
      name,
      ...(typeof title === "string" ? { title } : {}),
      ...(typeof description === "string" ? { description } : {}),
      required: needed.includes(name),
    };
  });
}
