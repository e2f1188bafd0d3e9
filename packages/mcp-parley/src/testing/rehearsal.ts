import type { AnswerFunctions } from "../client/answers.js";
import type { Client } from "../client/client.js";
import type { PromptCall, ResourceCall, ToolCall } from "../client/calls.js";
import { openClient } from "../client/open.js";
import type { Link } from "../client/link.js";
import { ParleyError } from "../protocol/errors.js";
import type { CallToolResult, GetPromptResult, ReadResourceResult } from "../protocol/features.js";
import type { InputResponse } from "../protocol/input.js";
import type { Principal } from "../state/principal.js";
import type { Condition } from "./conditions.js";
import { Findings } from "./findings.js";
import type { Finding } from "./findings.js";
import { Fleet } from "./fleet.js";
import type { MakeServer } from "./fleet.js";
import { RoughLink } from "./rough-link.js";
import { HURRIED, MovedTime } from "./time.js";

/** What is answered under each key: a response, or a function of the question that makes one. */
export type Script = Readonly<
  Record<string, InputResponse | ((question: unknown) => InputResponse)>
>;

/**
 * A tool's own test kit: instances of a server that share keys and a store, a scripted client, and
 * whatever befalls requests in between. A question the script has no answer for rejects with
 * `answer_missing`.
 */
export interface Rehearsal {
  /** Calls a tool to its end. Rejects with `finding` where the handler made a mistake. */
  callTool(call: ToolCall, script?: Script): Promise<CallToolResult>;
  /** Gets a prompt. */
  getPrompt(call: PromptCall, script?: Script): Promise<GetPromptResult>;
  /** Reads a resource. */
  readResource(call: ResourceCall, script?: Script): Promise<ReadResourceResult>;
  /** Lets `ms` pass at once, for the server's clocks. */
  advance(ms: number): void;
  /** The mistakes found so far. */
  readonly findings: readonly Finding[];
  close(): Promise<void>;
}

/**
 * Sets the stage. `make` is called for each instance and hands its options on to
 * `createMcpServer`, which they give keys, a store and a clock. `principal` is who calls, with the
 * scopes it has. Default: an anonymous caller.
 */
export function rehearse(
  make: MakeServer,
  condition: Condition = { name: "every round on a fresh instance" },
  principal?: Principal,
): Rehearsal {
  const { deliveries = 1 } = condition;
  if (!(Number.isInteger(deliveries) && deliveries >= 1 && deliveries <= 5)) {
    throw new RangeError(`deliveries is a whole number from 1 to 5; got ${String(deliveries)}`);
  }
  const findings = new Findings();
  const time = new MovedTime();
  const fleet = new Fleet(make, condition, findings, time, principal);
  return new Stage(new RoughLink(fleet, condition, findings), findings, time);
}

class Stage implements Rehearsal {
  readonly #link: Link;
  readonly #findings: Findings;
  readonly #time: MovedTime;

  constructor(link: Link, findings: Findings, time: MovedTime) {
    this.#link = link;
    this.#findings = findings;
    this.#time = time;
  }

  get findings(): readonly Finding[] {
    return this.#findings.list;
  }

  callTool(call: ToolCall, script: Script = {}): Promise<CallToolResult> {
    return this.#play(script, (client) => client.callTool(call));
  }

  getPrompt(call: PromptCall, script: Script = {}): Promise<GetPromptResult> {
    return this.#play(script, (client) => client.getPrompt(call));
  }

  readResource(call: ResourceCall, script: Script = {}): Promise<ReadResourceResult> {
    return this.#play(script, (client) => client.readResource(call));
  }

  advance(ms: number): void {
    this.#time.advance(ms);
  }

  close(): Promise<void> {
    return this.#link.close();
  }

  async #play<T>(script: Script, call: (client: Client) => Promise<T>): Promise<T> {
    const before = this.#findings.list.length;
    const result = await call(
      await openClient(this.#link, { answer: fromScript(script) }, HURRIED),
    );
    const found = this.#findings.list.slice(before);
    if (found.length > 0) throw new ParleyError("finding", found.map(inWords).join("\n"));
    return result;
  }
}

const MEANING: Readonly<Record<Finding["kind"], string>> = {
  suspension_swallowed:
    "caught the suspension of a question and went on: rethrow it (isSuspension)",
  diverged: "left out or changed what came before an effect: keep what it reads in call.memo",
  question_changed: "put another question than before: keep what it is made of in call.memo",
  replies_differ: "gave different results to the same request",
};

function inWords({ kind, name, key, line }: Finding): string {
  const question = key === undefined ? "" : ` '${key}'`;
  const where = line === undefined ? "" : `\n    at ${line}`;
  return `${name}${question} ${MEANING[kind]}${where}`;
}

function fromScript(script: Script): Required<AnswerFunctions> {
  const answer = (question: unknown, key: string): never => {
    const given = Object.hasOwn(script, key) ? script[key] : undefined;
    if (given === undefined) {
      throw new ParleyError("answer_missing", `The script has no answer for '${key}'`);
    }
    return (typeof given === "function" ? given(question) : given) as never;
  };
  return {
    form: (question, { key }) => answer(question, key),
    url: (question, { key }) => answer(question, key),
    sample: (question, { key }) => answer(question, key),
    roots: (question, { key }) => answer(question, key),
  };
}
