import type { Incoming, Link, Outgoing } from "../client/link.js";
import { isObject } from "../protocol/json.js";
import type { Condition } from "./conditions.js";
import type { Findings } from "./findings.js";
import type { Fleet } from "./fleet.js";

/** Carries a client's requests to a fleet, as roughly as the condition says. */
export class RoughLink implements Link {
  readonly address = "rehearsal";
  readonly mirrors = false;
  readonly #fleet: Fleet;
  readonly #condition: Condition;
  readonly #findings: Findings;

  constructor(fleet: Fleet, condition: Condition, findings: Findings) {
    this.#fleet = fleet;
    this.#condition = condition;
    this.#findings = findings;
  }

  async send(request: Outgoing): Promise<Incoming> {
    const { params, text, onNotification } = request;
    const deliver = (): Promise<string> =>
      this.#fleet.serve(JSON.parse(text), (notification) => {
        const sent = JSON.parse(notification) as {
          method: string;
          params: Record<string, unknown>;
        };
        onNotification?.(sent.method, sent.params);
      });
    const replies = await this.#deliver(deliver, isRetry(text));
    this.#compare(replies, String(params["name"] ?? params["uri"]));
    const reply = replies.at(-1);
    return { kind: "response", response: JSON.parse(reply ?? "{}") as Record<string, unknown> };
  }

  close(): Promise<void> {
    this.#fleet.close();
    return Promise.resolve();
  }

  /** A first call that is repeated is two calls, so only what carries a state is. */
  async #deliver(deliver: () => Promise<string>, isRetry: boolean): Promise<string[]> {
    const { deliveries = 1, atOnce = false, loseReplies = false } = this.#condition;
    const times = isRetry ? Math.max(deliveries, loseReplies ? 2 : 1) : 1;
    if (atOnce) return Promise.all(Array.from({ length: times }, deliver));
    const replies: string[] = [];
    for (let time = 0; time < times; time += 1) replies.push(await deliver());
    return replies;
  }

  /** Copies of one request get one result, or are asked to come back. */
  #compare(replies: readonly string[], name: string): void {
    const results = new Set(replies.filter((reply) => !isHandBack(reply)));
    if (results.size > 1) {
      this.#findings.list.push({ kind: "replies_differ", name, key: undefined, line: undefined });
    }
  }
}

function isRetry(text: string): boolean {
  const { params } = JSON.parse(text) as { params: object };
  return Object.hasOwn(params, "requestState");
}

function isHandBack(reply: string): boolean {
  const { result } = JSON.parse(reply) as { result?: unknown };
  return (
    isObject(result) && result["resultType"] === "input_required" && !("inputRequests" in result)
  );
}
