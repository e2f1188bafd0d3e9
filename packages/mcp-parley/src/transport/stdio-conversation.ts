import type { Readable, Writable } from "node:stream";
import type { Logger } from "../flow/options.js";
import { INTERNAL_ERROR, INVALID_REQUEST } from "../protocol/codes.js";
import { isPromiseLike, own } from "../protocol/json.js";
import { type RequestId, errorText, isRequestId, readMessage } from "../protocol/jsonrpc.js";
import { CANCELLED } from "../protocol/methods.js";
import { parseBytes } from "../protocol/parse.js";
import type { Dispatcher } from "../server/context.js";
import type { Principal } from "../state/principal.js";
import { LineSplitter } from "./line-splitter.js";
import { StdioCall } from "./stdio-call.js";
import { StdioOutput } from "./stdio-output.js";
import type { Timers } from "./timers.js";

/** What a conversation is held with. */
export interface ConversationTerms {
  readonly principal: Principal | undefined;
  readonly maxMessageBytes: number;
  readonly graceMs: number;
  readonly log: Logger;
  readonly timers: Timers;
}

/**
 * How many requests may be under way at once. No client has so many in earnest; past it they are
 * refused rather than held back, since holding back would also hold back their cancellation.
 */
export const MAX_IN_FLIGHT = 1_024;

/**
 * One client and one server over a pair of streams.
 *
 * 1. Each request is answered once, or cancelled and never answered.
 * 2. An id names one request at a time.
 * 3. Nothing is written but whole messages, each on one line.
 * 4. Reading stops while the client does not read what was written to it.
 */
export class StdioConversation {
  /** Settles when the conversation is over; never rejects. */
  readonly over: Promise<void>;
  readonly #server: Dispatcher;
  readonly #input: Readable;
  readonly #output: StdioOutput;
  readonly #terms: ConversationTerms;
  readonly #underWay = new Map<RequestId, StdioCall>();
  #hasEnded = false;
  #stopWaiting: (() => void) | undefined;
  #finish!: () => void;

  constructor(server: Dispatcher, input: Readable, output: Writable, terms: ConversationTerms) {
    this.#server = server;
    this.#input = input;
    this.#terms = terms;
    this.over = new Promise((resolve) => (this.#finish = resolve));
    this.#output = new StdioOutput(output, {
      full: () => input.pause(),
      drained: () => input.resume(),
      broken: () => this.#giveUp(),
    });
    const lines = new LineSplitter(terms.maxMessageBytes, {
      line: (line) => this.#receive(line),
      tooLong: () => this.#refuse(undefined, INVALID_REQUEST, TOO_LONG),
    });
    input.on("data", (piece: Uint8Array | string) => {
      lines.push(typeof piece === "string" ? Buffer.from(piece) : piece);
    });
    input.on("end", () => {
      lines.end();
      this.#end();
    });
    input.on("close", () => this.#end());
    input.on("error", () => this.#end());
  }

  #receive(line: Uint8Array): void {
    if (line.every(isSpace)) return;
    const parsed = parseBytes(line);
    if (!parsed.ok) {
      this.#refuse(parsed.id, parsed.code, parsed.why);
      return;
    }
    const message = readMessage(parsed.value);
    switch (message.kind) {
      case "request":
        this.#answer(message.id, parsed.value);
        break;
      case "notification":
        if (message.method === CANCELLED) this.#cancel(own(message.params, "requestId"));
        break;
      case "response":
        // This server asks nothing, and an answer to an answer could pass for one to a request.
        break;
      case "invalid":
        this.#refuse(message.id, INVALID_REQUEST, message.why);
    }
  }

  #answer(id: RequestId, message: unknown): void {
    if (this.#underWay.has(id)) {
      this.#refuse(id, INVALID_REQUEST, "The id is that of a request under way");
      return;
    }
    if (this.#underWay.size >= MAX_IN_FLIGHT) {
      this.#refuse(id, INTERNAL_ERROR, "Too many requests under way");
      return;
    }
    const call = new StdioCall(this.#terms.principal, this.#output);
    this.#underWay.set(id, call);
    const done = (text: string | undefined): void => {
      call.answer(text);
      this.#forget(id, call);
    };
    const failed = (error: unknown): void => {
      this.#terms.log.error("The server failed to answer a request", error);
      done(errorText(id, INTERNAL_ERROR, "Internal error"));
    };
    try {
      const reply = this.#server.dispatch(message, call);
      if (isPromiseLike(reply)) reply.then((settled) => done(settled?.text), failed);
      else done(reply?.text);
    } catch (error) {
      failed(error);
    }
  }

  /** Specification: basic/patterns/cancellation. What names no request under way is ignored. */
  #cancel(id: unknown): void {
    if (!isRequestId(id)) return;
    const call = this.#underWay.get(id);
    if (call === undefined) return;
    call.giveUp();
    this.#forget(id, call);
  }

  #forget(id: RequestId, call: StdioCall): void {
    // Once cancelled, an id may be in use again.
    if (this.#underWay.get(id) === call) this.#underWay.delete(id);
    if (this.#hasEnded && this.#underWay.size === 0) this.#conclude();
  }

  #refuse(id: RequestId | undefined, code: number, message: string): void {
    this.#output.send(errorText(id, code, message));
  }

  /** No more requests will come. */
  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#server.drain?.();
    const { graceMs, timers } = this.#terms;
    this.#stopWaiting = timers.after(graceMs, () => {
      this.#giveUp();
      this.#finish();
    });
    if (this.#underWay.size === 0) this.#conclude();
  }

  /** Nobody waits for an answer any more. */
  #giveUp(): void {
    for (const call of this.#underWay.values()) call.giveUp();
    this.#underWay.clear();
    this.#input.pause();
    this.#end();
  }

  /** All is answered; what is written has yet to leave. */
  #conclude(): void {
    void this.#output.flushed().then(() => {
      this.#stopWaiting?.();
      this.#finish();
    });
  }
}

const TOO_LONG = "The message is too large";

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0d || byte === 0x09;
}
