import type { Credentials, Incoming, Link, Outgoing } from "../../src/client/link.js";
import { DISCOVERY } from "./scripted.js";

/** What a script does with a request: gives its result, its error, or nothing yet. */
export type Played =
  | { readonly result: Record<string, unknown> }
  | { readonly error: { readonly code: number; readonly message: string } }
  | { readonly status: number }
  | undefined;

/** A request a script has not answered yet; its params are those that were sent. */
export interface Waiting extends Outgoing {
  readonly answer: (played: Exclude<Played, undefined>) => void;
  readonly fail: (error: unknown) => void;
  readonly notify: (method: string, params: Record<string, unknown>) => void;
}

/** A link without a wire: a script answers, at once or when the test says so. */
export class MemoryLink implements Link {
  readonly address: string;
  readonly mirrors = false;
  /** Everything but `server/discover`, in order. */
  readonly sent: Waiting[] = [];
  readonly credentials?: () => Credentials;
  readonly #play: (request: Waiting) => Played;

  /** With `credentials`, others may reach the same server, too. */
  constructor(
    play: (request: Waiting) => Played,
    { address = "memory", credentials }: { address?: string; credentials?: () => Credentials } = {},
  ) {
    this.#play = play;
    this.address = address;
    if (credentials !== undefined) this.credentials = credentials;
  }

  send(request: Outgoing): Promise<Incoming> {
    return new Promise((resolve, reject) => {
      request.cancellation.onCancel(reject);
      const { id, method } = request;
      const { params } = JSON.parse(request.text) as Pick<Outgoing, "params">;
      const waiting: Waiting = {
        ...request,
        params,
        answer(played) {
          if ("status" in played) resolve({ kind: "status", status: played.status });
          else resolve({ kind: "response", response: { jsonrpc: "2.0", id, ...played } });
        },
        fail: reject,
        notify: (name, params) => request.onNotification?.(name, params),
      };
      if (method === "server/discover") {
        waiting.answer({ result: DISCOVERY });
        return;
      }
      this.sent.push(waiting);
      const played = this.#play(waiting);
      if (played !== undefined) waiting.answer(played);
    });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
