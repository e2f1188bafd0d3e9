import type { ClientCapabilities } from "../protocol/capabilities.js";
import type {
  ElicitRequestFormParams,
  ElicitRequestURLParams,
  ElicitResult,
} from "../protocol/elicitation.js";
import { ParleyError } from "../protocol/errors.js";
import type { InputRequest } from "../protocol/input.js";
import type { Awaitable } from "../protocol/json.js";
import { isMetaKey } from "../protocol/meta.js";
import { CREATE_MESSAGE, ELICIT, LIST_ROOTS, type AskingMethod } from "../protocol/methods.js";
import type { ListRootsResult } from "../protocol/roots.js";
import type { CreateMessageRequestParams, CreateMessageResult } from "../protocol/sampling.js";

/** Which server a call goes to. */
export interface Asker {
  /** Where it is, as this client knows it: a URL, or a command line. The one thing here to rely on. */
  readonly address: string;
  /** What it calls itself: for display, never for decisions. */
  readonly name?: string;
}

/** Who asks, and on what occasion: a person who answers has to be shown it (client/elicitation). */
export interface About {
  readonly server: Asker;
  readonly method: AskingMethod;
  /** The tool's or prompt's name, or the resource's URI. */
  readonly name: string;
  /** The key under which the server will find the answer. */
  readonly key: string;
  /** The round that brought the question: 1 for the first. */
  readonly round: number;
  /** Aborts when the answer is of no use any more: take the question away. */
  readonly signal: AbortSignal;
}

/**
 * The functions that answer a server's questions. Which of them are there is what the client tells
 * servers it can do. What one throws ends the call, and is what the call rejects with.
 */
export interface AnswerFunctions {
  /**
   * Asks a person to fill in a form. Accepted content is checked against `requestedSchema` before it
   * is sent, and defaults are filled in where a field is missing.
   */
  readonly form?:
    ((question: ElicitRequestFormParams, about: About) => Awaitable<ElicitResult>) | undefined;
  /**
   * Asks a person to open a page. The client itself never fetches the URL. Show the whole of it and
   * open it only with consent; `accept` says that the person agreed, not that they are done there.
   */
  readonly url?:
    ((question: ElicitRequestURLParams, about: About) => Awaitable<ElicitResult>) | undefined;
  /**
   * Asks a model.
   *
   * @deprecated Since revision 2026-07-28 (SEP-2577).
   */
  readonly sample?:
    | ((question: CreateMessageRequestParams, about: About) => Awaitable<CreateMessageResult>)
    | undefined;
  /**
   * Names the directories and files the server may work on.
   *
   * @deprecated Since revision 2026-07-28 (SEP-2577).
   */
  readonly roots?:
    ((question: Record<string, unknown>, about: About) => Awaitable<ListRootsResult>) | undefined;
}

/** The kinds of question, by the function that answers them. */
export type QuestionKind = keyof AnswerFunctions;

/** Which function a question is for. */
export function kindOf(request: InputRequest): QuestionKind {
  switch (request.method) {
    case ELICIT:
      return request.params.mode === "url" ? "url" : "form";
    case CREATE_MESSAGE:
      return "sample";
    case LIST_ROOTS:
      return "roots";
  }
}

/**
 * What the client tells servers it can do: what its functions answer, and what the host says
 * besides. Throws `usage` for the name of an extension that is none.
 * Specification: basic/versioning; client/elicitation, Capabilities.
 */
export function declaredBy(
  answer: AnswerFunctions,
  told: ClientCapabilities = {},
): ClientCapabilities {
  for (const name of Object.keys(told.extensions ?? {})) {
    if (name.includes("/") && isMetaKey(name)) continue;
    throw new ParleyError(
      "usage",
      `${JSON.stringify(name)} is no name of an extension: a prefix and a name, such as com.example/things.`,
    );
  }
  const declared: ClientCapabilities = { ...told };
  const { form, url } = answer;
  if (form !== undefined || url !== undefined || told.elicitation !== undefined) {
    const isBare = told.elicitation !== undefined && Object.keys(told.elicitation).length === 0;
    declared.elicitation = {
      ...((form !== undefined || isBare) && { form: {} }),
      ...(url !== undefined && { url: {} }),
      ...told.elicitation,
    };
  }
  if (answer.sample !== undefined) declared.sampling ??= {};
  if (answer.roots !== undefined) declared.roots ??= {};
  return declared;
}
