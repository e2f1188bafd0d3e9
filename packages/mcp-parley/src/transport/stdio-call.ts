import type { RequestContext } from "../server/context.js";
import type { Principal } from "../state/principal.js";
import type { StdioOutput } from "./stdio-output.js";

/** One request on stdio, until it is answered or given up. */
export class StdioCall implements RequestContext {
  readonly principal: Principal | undefined;
  readonly #output: StdioOutput;
  #controller: AbortController | undefined;
  #phase: "open" | "answered" | "given up" = "open";

  constructor(principal: Principal | undefined, output: StdioOutput) {
    this.principal = principal;
    this.#output = output;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#phase === "given up") this.#controller.abort();
    }
    return this.#controller.signal;
  }

  notify(text: string): void {
    if (this.#phase === "open") this.#output.sendUnlessBehind(text);
  }

  /** Sends the answer, where there is one and it is still wanted. The last thing it sends. */
  answer(text: string | undefined): void {
    if (this.#phase !== "open") return;
    this.#phase = "answered";
    if (text !== undefined) this.#output.send(text);
  }

  /** The client has cancelled it, or has gone: nothing more is sent. */
  giveUp(): void {
    if (this.#phase !== "open") return;
    this.#phase = "given up";
    this.#controller?.abort();
  }
}
