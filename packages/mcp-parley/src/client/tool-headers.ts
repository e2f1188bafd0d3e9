import { isObject, own, quoted } from "../protocol/json.js";
import { TOOLS_CALL, TOOLS_LIST } from "../protocol/methods.js";
import { type ParamHeader, paramHeaders } from "../protocol/param-headers.js";

/** What is remembered of all tools together, in characters of names. */
const MOST = 1_000_000;

/** How much of a reason, which names places in the server's schema, a warning repeats. */
const REASON = 200;

/**
 * Which arguments of which tools are mirrored into headers, as the server's lists say.
 *
 * 1. A tool counts as it was last listed; one whose annotations are not valid mirrors nothing.
 * 2. What is remembered is bounded: the tool listed longest ago goes first.
 *
 * Specification: basic/transports/streamable-http, Custom Headers from Tool Parameters.
 */
export class ToolHeaders {
  readonly #warn: (message: string) => void;
  readonly #most: number;
  readonly #known = new Map<string, readonly ParamHeader[]>();
  #size = 0;

  constructor(warn: (message: string) => void, most: number = MOST) {
    this.#warn = warn;
    this.#most = most;
  }

  /** What this request mirrors; undefined where nothing is known of its tool. */
  of(
    method: string,
    params: Readonly<Record<string, unknown>>,
  ): readonly ParamHeader[] | undefined {
    if (method !== TOOLS_CALL || this.#known.size === 0) return undefined;
    const name = params["name"];
    return typeof name === "string" ? this.#known.get(name) : undefined;
  }

  /** A page of a list as the host gets to see it: of tools, without those that are not valid. */
  learn(method: string, page: Record<string, unknown>): Record<string, unknown> {
    const tools = method === TOOLS_LIST ? own(page, "tools") : undefined;
    if (!Array.isArray(tools)) return page;
    const valid = tools.filter((tool) => this.#isValid(tool));
    return valid.length === tools.length ? page : { ...page, tools: valid };
  }

  #isValid(tool: unknown): boolean {
    if (!isObject(tool)) return true; // none of this file's business
    const name = own(tool, "name");
    const read = paramHeaders(own(tool, "inputSchema"));
    if (typeof name === "string") this.#remember(name, read.ok ? read.headers : []);
    if (!read.ok) {
      const which = typeof name === "string" ? quoted(name) : "without a name";
      const why = JSON.stringify(read.why.slice(0, REASON));
      this.#warn(`The tool ${which} is left out of the server's list: ${why}.`);
    }
    return read.ok;
  }

  #remember(name: string, headers: readonly ParamHeader[]): void {
    this.#forget(name);
    if (headers.length === 0) return;
    this.#known.set(name, headers);
    this.#size += sizeOf(name, headers);
    for (const oldest of this.#known.keys()) {
      if (this.#size <= this.#most) return;
      this.#forget(oldest);
    }
  }

  #forget(name: string): void {
    const headers = this.#known.get(name);
    if (headers === undefined) return;
    this.#known.delete(name);
    this.#size -= sizeOf(name, headers);
  }
}

/** Whether two readings of a tool send the same headers: knowing nothing sends none. */
export function sendsSame(a: readonly ParamHeader[] = [], b: readonly ParamHeader[] = []): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function sizeOf(name: string, headers: readonly ParamHeader[]): number {
  const texts = headers.flatMap(({ header, path }) => [header, ...path]);
  return texts.reduce((size, { length }) => size + length + 1, name.length);
}
