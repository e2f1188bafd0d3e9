import type { ClientCapabilities } from "../../protocol/capabilities.js";
import { ParleyError } from "../../protocol/errors.js";
import type { InputResponse } from "../../protocol/input.js";
import type { Awaitable } from "../../protocol/json.js";
import { ELICIT } from "../../protocol/methods.js";
import { Asking } from "../question.js";
import type { Putting, Question, Reading } from "../question.js";

/** Which link is waited for: what `openTicket` gives the page that the link leads to. */
export interface LinkAbout {
  /** The flow's id, the same in all of its rounds. */
  readonly flow: string;
  /** The key of the question. */
  readonly key: string;
}

/** How a link is waited for. */
export interface LinkOptions {
  /**
   * Says whether what the link is for has happened. The user's `accept` only means that the page
   * may be opened. Until this gives true the flow goes on in rounds that ask nothing, bounded by
   * time; without it the flow goes on as soon as the user accepts.
   */
  readonly until?: (signal: AbortSignal, about: LinkAbout) => Awaitable<boolean>;
  /** How long one round waits for `until`, in ms. Default 10 000. */
  readonly waitFor?: number;
}

/**
 * A page the user is asked to open, for what must not pass through the client: a sign-in, a
 * payment, a secret. A url function runs once per question and is given a ticket that binds the
 * flow, the question and the principal: the page hands it to `openTicket`, which refuses it for
 * anyone but who was asked. Put nothing about the user and no credential into the url.
 * Specification: client/elicitation, URL Mode and Phishing.
 */
export function link(
  message: string,
  url: string | ((ticket: string) => Awaitable<string>),
  options: LinkOptions = {},
): Question<true> {
  if (typeof message !== "string" || message === "") {
    throw new ParleyError("question_invalid", "A link needs a message that says why to open it");
  }
  return new Link(message, typeof url === "string" ? checkedUrl(url) : url, options);
}

/** A URL in full, as it goes on the wire; `question_invalid` for one that a client must not open. */
export function checkedUrl(url: string): string {
  const parsed = typeof url === "string" && URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== "https:" && parsed?.protocol !== "http:") {
    throw new ParleyError("question_invalid", "A link needs a full https:// or http:// URL");
  }
  if (parsed.username !== "" || parsed.password !== "") {
    throw new ParleyError("question_invalid", "A link's URL must not carry credentials");
  }
  return url;
}

/** The question a link puts; `makeUrl` is there when the URL is made once and sealed. */
export class Link extends Asking<true> {
  readonly kind = "url";
  readonly requires: ClientCapabilities = { elicitation: { url: {} } };
  readonly makeUrl: ((ticket: string) => Awaitable<string>) | undefined;
  readonly until: LinkOptions["until"];
  readonly waitFor: number;
  readonly #message: string;
  readonly #url: string | undefined;

  constructor(
    message: string,
    url: string | ((ticket: string) => Awaitable<string>),
    options: LinkOptions,
  ) {
    super(false);
    this.#message = message;
    this.#url = typeof url === "string" ? url : undefined;
    this.makeUrl = typeof url === "string" ? undefined : url;
    this.until = options.until;
    this.waitFor = options.waitFor ?? 10_000;
  }

  wire({ reason, url = this.#url ?? "" }: Putting): string {
    const message = reason === undefined ? this.#message : `${this.#message}\n\n${reason}`;
    return `{"method":"${ELICIT}","params":{"mode":"url","message":${JSON.stringify(message)},"url":${JSON.stringify(url)}}}`;
  }

  read(response: InputResponse): Reading<true> {
    if (!("action" in response)) return { invalid: "The answer was not an answer to a link." };
    return response.action === "accept"
      ? { answer: { action: "accept", content: true } }
      : { answer: { action: response.action } };
  }
}
