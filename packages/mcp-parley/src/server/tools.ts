import { HEADER_MISMATCH, INVALID_PARAMS } from "../protocol/codes.js";
import { ParleyError } from "../protocol/errors.js";
import type { CallToolResult, Tool } from "../protocol/features.js";
import { chain, isObject } from "../protocol/json.js";
import type { Awaitable } from "../protocol/json.js";
import { TOOLS_CALL } from "../protocol/methods.js";
import { paramHeaders, unmirrored } from "../protocol/param-headers.js";
import type { ParamHeader } from "../protocol/param-headers.js";
import { checkScopes } from "../protocol/check-scopes.js";
import type { Call } from "../flow/call.js";
import { validate } from "../flow/schema.js";
import type { StandardSchema, Validated } from "../flow/schema.js";
import { flowSettings } from "../flow/settings.js";
import type { FlowSettings } from "../flow/settings.js";
import type { Reply } from "./context.js";
import type { ToolDefinition, ToolHandler } from "./definitions.js";
import { OUTCOME_META, ownFailureOf } from "./failures.js";
import { runRound } from "./feature.js";
import type { FeatureParts } from "./feature.js";
import type { Incoming } from "./incoming.js";
import { errorReply, malformedReply, resultReply } from "./respond.js";
import { checkSalient } from "./salient.js";
import { refuseUngranted } from "./scopes.js";
import type { NeededScopes } from "./scopes.js";
import { List } from "./list.js";
import type { ListOptions, Visible } from "./list.js";
import { checkShown } from "./shown.js";
import { shownInput, shownSchema } from "./shown-schemas.js";

type AnyHandler = (args: unknown, call: Call) => Awaitable<CallToolResult>;

/** A tool as it is called. */
interface ToolEntry {
  readonly name: string;
  readonly input: StandardSchema | undefined;
  readonly output: StandardSchema | undefined;
  readonly visible: Visible | undefined;
  readonly scopes: NeededScopes;
  /** What HTTP mirrors into headers. */
  readonly mirrored: readonly ParamHeader[];
  readonly settings: FlowSettings;
  readonly handler: AnyHandler;
}

/** A tool name every client and header can carry. Specification: server/tools, Tool Names. */
const NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/** The tools of one server. Specification: server/tools. */
export class Tools {
  readonly list: List<Tool>;
  readonly #entries = new Map<string, ToolEntry>();
  readonly #parts: FeatureParts;

  constructor(parts: FeatureParts, options: ListOptions) {
    this.#parts = parts;
    this.list = new List("tools", options, parts.results);
  }

  add<Input extends StandardSchema | undefined>(
    name: string,
    definition: ToolDefinition<Input>,
    handler: ToolHandler<Input>,
  ): void {
    if (!NAME.test(name)) {
      throw new ParleyError(
        "usage",
        `'${name}' is no tool name: 1 to 128 letters, digits, '_', '.' or '-'`,
      );
    }
    if (this.#entries.has(name)) {
      throw new ParleyError("usage", `There is a tool '${name}' already`);
    }
    const {
      inputSchema: input,
      outputSchema: output,
      flow,
      visible,
      scopes,
      ...shown
    } = definition;
    checkShown(`Tool '${name}'`, definition);
    const tool: Tool = {
      name,
      ...shown,
      icons: shown.icons === undefined ? undefined : [...shown.icons],
      inputSchema: shownInput(name, input),
      ...(output === undefined ? {} : { outputSchema: shownSchema(`Tool '${name}'`, output) }),
    };
    checkSalient(`Tool '${name}'`, flow?.salient, input && tool.inputSchema);
    const mirrored = paramHeaders(tool.inputSchema);
    if (!mirrored.ok) throw new ParleyError("usage", `Tool '${name}': ${mirrored.why}`);
    this.list.add(tool, visible);
    this.#entries.set(name, {
      name,
      input,
      output,
      visible,
      scopes: scopes && checkScopes(`Tool '${name}'`, scopes),
      mirrored: mirrored.headers,
      settings: flowSettings(flow, this.#parts.settings),
      handler: handler as AnyHandler,
    });
  }

  call(incoming: Incoming): Awaitable<Reply> {
    const name = incoming.param("name");
    const given = incoming.param("arguments") ?? {};
    if (typeof name !== "string") return malformedReply(incoming.id, "params.name is a text");
    if (!isObject(given)) return malformedReply(incoming.id, "params.arguments is an object");
    const tool = this.#entries.get(name);
    if (tool === undefined || tool.visible?.(incoming.context.principal) === false) {
      return errorReply(incoming.id, INVALID_PARAMS, `Unknown tool: ${name.slice(0, 128)}`);
    }
    const refused = refuseUngranted(incoming, tool.scopes) ?? unequalHeader(incoming, tool, given);
    if (refused !== undefined) return refused;
    if (tool.input === undefined) return this.#run(incoming, tool, given);
    return chain(validate(tool.input, given), (args: Validated<unknown>) =>
      args.ok ? this.#run(incoming, tool, args.value) : this.#unfit(incoming, tool, args.issues),
    );
  }

  #run(incoming: Incoming, tool: ToolEntry, args: unknown): Awaitable<Reply> {
    return runRound<CallToolResult>(this.#parts, incoming, {
      method: TOOLS_CALL,
      name: tool.name,
      settings: tool.settings,
      run: (call) => checkedResult(tool, tool.handler(args, call)),
      complete: (result) => this.#parts.results.complete(result),
      failed: (error) => {
        const failure = ownFailureOf(error);
        const { end, fault } = failure;
        if (failure.explicit) return { kind: "error", error: failure.error, end };
        const text = this.#toolError(failure.message, failure.outcome);
        return { kind: "complete", text, end, fault };
      },
    });
  }

  /** Arguments that break the schema go back to the model, which may mend them. */
  #unfit(incoming: Incoming, tool: ToolEntry, issues: readonly string[]): Reply {
    const message = `Invalid arguments for ${tool.name}: ${issues.join("; ").slice(0, 1000)}`;
    return resultReply(incoming.id, this.#toolError(message, "invalid_arguments"));
  }

  #toolError(message: string, outcome: string): string {
    return this.#parts.results.complete({
      content: [{ type: "text", text: message }],
      isError: true,
      _meta: { [OUTCOME_META]: outcome },
    });
  }
}

/** Holds what a handler gave against what a tool's result is, and its structure against the schema. */
function checkedResult(
  tool: ToolEntry,
  result: Awaitable<CallToolResult>,
): Awaitable<CallToolResult> {
  return chain(result, (given): Awaitable<CallToolResult> => {
    if (!isObject(given) || !Array.isArray(given.content)) {
      throw new ParleyError("usage", `Tool ${tool.name} gave no result: return text(…) or content`);
    }
    if (tool.output === undefined || given.isError === true) return given;
    return chain(validate(tool.output, given.structuredContent), (structure) => {
      if (structure.ok) return given;
      throw new ParleyError(
        "usage",
        `Tool ${tool.name} broke its outputSchema: ${structure.issues.join("; ")}`,
      );
    });
  });
}

/** Over HTTP an argument and the header that mirrors it have to agree. */
function unequalHeader(incoming: Incoming, tool: ToolEntry, args: unknown): Reply | undefined {
  const { context } = incoming;
  if (tool.mirrored.length === 0 || context.header === undefined) return undefined;
  const header = unmirrored(tool.mirrored, args, (name) => context.header?.(name) ?? null);
  if (header === undefined) return undefined;
  const message = `Header mismatch: ${header} does not mirror its argument`;
  return errorReply(incoming.id, HEADER_MISMATCH, message);
}
