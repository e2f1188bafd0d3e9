import type { Principal } from "../../src/state/principal.js";
import type { Host, Wire } from "./hosts.js";

export const ALL_CAPABILITIES = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {} },
  roots: {},
};

let nextId = 0;

/** A request with a complete envelope and an id of its own. */
export function request(
  method: string,
  params: Wire = {},
  capabilities: Wire = ALL_CAPABILITIES,
): Wire {
  return {
    jsonrpc: "2.0",
    id: ++nextId,
    method,
    params: {
      ...params,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": capabilities,
        ...(params["_meta"] as Wire | undefined),
      },
    },
  };
}

/** What one round came to. */
export interface Turn {
  readonly result: Wire | undefined;
  readonly error: { code: number; message: string; data?: Wire } | undefined;
  readonly notified: Wire[];
}

/** Sends one request as a bare client and gives what came back. */
export async function send(host: Host, message: Wire, principal?: Principal): Promise<Turn> {
  const { response, notified } = await host.send(message, principal);
  return {
    result: response["result"] as Wire | undefined,
    error: response["error"] as Turn["error"],
    notified,
  };
}

/** How a scripted client answers: by key, or by a function of the input request. */
export type Answers = Record<string, Wire | ((request: Wire) => Wire)>;

/** Everything one flow came to. */
export interface Flow {
  readonly last: Turn;
  readonly turns: Turn[];
  /** The keys asked, round by round. */
  readonly asked: string[][];
}

/** Drives a call to its end: every answer, the exact state, a new id each time. */
export async function drive(
  host: Host,
  method: string,
  params: Wire,
  answers: Answers = {},
  options: { capabilities?: Wire; principal?: Principal; rounds?: number } = {},
): Promise<Flow> {
  const turns: Turn[] = [];
  const asked: string[][] = [];
  let extra: Wire = {};
  for (let round = 0; round < (options.rounds ?? 20); round += 1) {
    const message = request(method, { ...params, ...extra }, options.capabilities);
    const turn = await send(host, message, options.principal);
    turns.push(turn);
    if (turn.result?.["resultType"] !== "input_required") return { last: turn, turns, asked };
    extra = answer(turn.result, answers);
    asked.push(Object.keys((turn.result["inputRequests"] as Wire | undefined) ?? {}));
  }
  throw new Error(`not over after ${String(options.rounds ?? 20)} rounds`);
}

/** The members a retry adds, as the script answers. */
export function answer(result: Wire, answers: Answers): Wire {
  const requests = result["inputRequests"] as Record<string, Wire> | undefined;
  const extra: Wire = {};
  if (result["requestState"] !== undefined) extra["requestState"] = result["requestState"];
  if (requests === undefined) return extra;
  extra["inputResponses"] = Object.fromEntries(
    Object.entries(requests).flatMap(([key, asked]) => {
      const given = answers[key];
      if (given === undefined) return [];
      return [[key, typeof given === "function" ? given(asked) : given]];
    }),
  );
  return extra;
}

export const accept = (content?: Wire): Wire =>
  content === undefined ? { action: "accept" } : { action: "accept", content };
export const decline: Wire = { action: "decline" };
export const cancel: Wire = { action: "cancel" };

/** The one text of a tool's result. */
export function textOf(turn: Turn): string {
  const content = turn.result?.["content"] as { text: string }[] | undefined;
  return content?.map(({ text }) => text).join("\n") ?? "";
}
