import autocannon from "autocannon";

/** What a load came to. */
export interface Load {
  /** Whole operations: calls, first legs or flows. */
  readonly operations: number;
  readonly perSecond: number;
  /** Latency of one request, in ms. */
  readonly p50: number;
  readonly p99: number;
  readonly errors: number;
}

/** What is played: so many rounds of one tool. */
export interface Play {
  readonly tool: string;
  readonly rounds: number;
  /** Requests sent per operation: fewer than the rounds where flows are abandoned. */
  readonly requests: number;
}

export const PLAYS = {
  plain: { tool: "plain", rounds: 1, requests: 1 },
  "first leg": { tool: "flow", rounds: 2, requests: 1 },
  flow: { tool: "flow", rounds: 2, requests: 2 },
  // The same as a flow, where it stands beside five rounds.
  "two rounds": { tool: "flow", rounds: 2, requests: 2 },
  "five rounds": { tool: "five", rounds: 5, requests: 5 },
} satisfies Record<string, Play>;

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
};

interface Interim {
  readonly result: {
    readonly inputRequests?: Record<string, unknown>;
    readonly requestState?: string;
  };
}

let id = 0;

/** A first call of a tool. */
export function body(tool: string, extra: object): string {
  id += 1;
  const params = { name: tool, arguments: { branch: "old" }, ...extra, _meta: META };
  return JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
}

/** The call again, with an answer to whatever the previous response asks. */
export function retry(tool: string, previous: string): string {
  const { result } = JSON.parse(previous) as Interim;
  const answer = { action: "accept", content: { reason: "merged last week" } };
  const keys = Object.keys(result.inputRequests ?? {});
  return body(tool, {
    requestState: result.requestState,
    inputResponses: Object.fromEntries(keys.map((key) => [key, answer])),
  });
}

/** Sends `operations` of a play to a server, `inFlight` at a time, with a known load generator. */
export async function load(
  url: string,
  play: Play,
  operations: number,
  inFlight: number,
): Promise<Load> {
  const { tool, requests } = play;
  let wrong = 0;
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": tool,
  };
  const script: autocannon.Request[] = Array.from({ length: requests }, (_, at) => ({
    method: "POST",
    headers,
    setupRequest: (request, context) => {
      const { previous } = context as { previous?: string };
      return { ...request, body: at === 0 ? body(tool, {}) : retry(tool, previous ?? "{}") };
    },
    onResponse: (status, text, context) => {
      (context as { previous?: string }).previous = text;
      const ends = at === play.rounds - 1 ? '"complete"' : '"input_required"';
      if (status !== 200 || !text.includes(ends)) wrong += 1;
    },
  }));
  const result = await autocannon({
    url,
    connections: inFlight,
    amount: operations * requests,
    requests: script,
    sampleInt: 20, // it ends, and is timed, at a sample: by default only each second
  });
  return {
    operations,
    perSecond: operations / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    errors: wrong + result.errors + result.timeouts,
  };
}
