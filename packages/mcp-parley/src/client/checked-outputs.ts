import type { StandardSchemaV1 } from "@standard-schema/spec";
import { ParleyError } from "../protocol/errors.js";
import { isObject, own, quoted } from "../protocol/json.js";
import { TOOLS_CALL, TOOLS_LIST } from "../protocol/methods.js";
import type { Answered, Asking, SendOptions, Sender } from "./sending.js";

/**
 * Makes something to check by out of a JSON Schema of the server's; throws where it can't be done.
 * `jsonSchema` of `mcp-parley/json-schema` is one: bounded, and fetching nothing.
 */
export type MakeSchema = (schema: Readonly<Record<string, unknown>>) => StandardSchemaV1;

/** What is remembered of all schemas together, in characters. */
const MOST = 4_000_000;

/** How much of what is wrong an error tells: it names places in the server's schema. */
const REASON = 500;

/** A tool's `outputSchema` as it was listed, and what it was made into when first needed. */
interface Output {
  readonly text: string;
  made?: StandardSchemaV1;
}

/**
 * Holds what tools give against the `outputSchema` their server listed them with.
 *
 * 1. A tool counts as it was last listed; what was never listed is not checked.
 * 2. A tool whose schema can't be checked by is not called.
 * 3. What is remembered is bounded: the tool listed longest ago goes first.
 *
 * Specification: server/tools, Output Schema.
 */
export class CheckedOutputs implements Sender {
  readonly #sender: Sender;
  readonly #make: MakeSchema;
  readonly #known = new Map<string, Output>();
  #size = 0;

  constructor(sender: Sender, make: MakeSchema) {
    this.#sender = sender;
    this.#make = make;
  }

  async send(asking: Asking, timeout: number, options: SendOptions): Promise<Answered> {
    const { method, params } = asking;
    const name = method === TOOLS_CALL ? params["name"] : undefined;
    const schema = typeof name === "string" ? this.#schemaOf(name) : undefined;
    const answer = await this.#sender.send(asking, timeout, options);
    if (answer.kind !== "complete") return answer;
    if (method === TOOLS_LIST) this.#learn(own(answer.result, "tools"));
    else if (schema !== undefined) await check(String(name), schema, answer.result);
    return answer;
  }

  #schemaOf(name: string): StandardSchemaV1 | undefined {
    const output = this.#known.get(name);
    if (output === undefined) return undefined;
    try {
      output.made ??= this.#make(JSON.parse(output.text) as Record<string, unknown>);
      return output.made;
    } catch (error) {
      throw new ParleyError(
        "result_invalid",
        `The tool ${quoted(name)} was not called: its outputSchema can't be checked by. ${shortened(error instanceof Error ? error.message : "")}`,
        { cause: error },
      );
    }
  }

  #learn(tools: unknown): void {
    if (!Array.isArray(tools)) return;
    for (const tool of tools as unknown[]) {
      const name = isObject(tool) ? own(tool, "name") : undefined;
      if (typeof name === "string") this.#remember(name, own(tool as object, "outputSchema"));
    }
  }

  #remember(name: string, schema: unknown): void {
    const text = schema === undefined ? undefined : JSON.stringify(schema);
    const before = this.#known.get(name);
    this.#forget(name);
    if (text === undefined) return;
    this.#known.set(name, before?.text === text ? before : { text });
    this.#size += name.length + text.length;
    for (const oldest of this.#known.keys()) {
      if (this.#size <= MOST) return;
      this.#forget(oldest);
    }
  }

  #forget(name: string): void {
    const output = this.#known.get(name);
    if (output === undefined) return;
    this.#known.delete(name);
    this.#size -= name.length + output.text.length;
  }
}

/** A tool that failed owes no structure. */
async function check(
  name: string,
  schema: StandardSchemaV1,
  result: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (own(result, "isError") === true) return;
  const { issues } = await schema["~standard"].validate(own(result, "structuredContent"));
  if (issues === undefined) return;
  throw new ParleyError(
    "result_invalid",
    `What the tool ${quoted(name)} gave breaks its outputSchema: ${shortened(issues.map(({ message }) => message).join("; "))}`,
  );
}

function shortened(text: string): string {
  return JSON.stringify(text.slice(0, REASON));
}
