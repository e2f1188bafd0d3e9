import type { ClientCapabilities } from "../../protocol/capabilities.js";
import { requiredBy } from "../../protocol/required-by.js";
import { ParleyError } from "../../protocol/errors.js";
import type { InputResponse } from "../../protocol/input.js";
import { CREATE_MESSAGE } from "../../protocol/methods.js";
import { createMessageFault } from "../../protocol/sampling-fault.js";
import type { CreateMessageRequestParams, CreateMessageResult } from "../../protocol/sampling.js";
import { Asking } from "../question.js";
import type { Question, Reading } from "../question.js";

/**
 * Asks the client's model. Throws `question_invalid` for what the protocol cannot ask: messages are
 * the user's or the assistant's, and tool uses are answered at once, all of them, by a message of
 * nothing but their results. Specification: client/sampling.
 * @deprecated by revision 2026-07-28 (SEP-2577): call a model's own API instead.
 */
export function sample(params: CreateMessageRequestParams): Question<CreateMessageResult> {
  if (!Number.isSafeInteger(params.maxTokens)) {
    throw new ParleyError("question_invalid", "A sample needs a whole maxTokens");
  }
  const fault = createMessageFault(params);
  if (fault !== undefined) throw new ParleyError("question_invalid", `This sample ${fault}`);
  return new Sample(params);
}

class Sample extends Asking<CreateMessageResult> {
  readonly kind = "sampling";
  readonly requires: ClientCapabilities;
  readonly #text: string;

  constructor(params: CreateMessageRequestParams) {
    super(false);
    this.requires = requiredBy({ method: CREATE_MESSAGE, params });
    this.#text = `{"method":"${CREATE_MESSAGE}","params":${JSON.stringify(params)}}`;
  }

  wire(): string {
    return this.#text;
  }

  read(response: InputResponse): Reading<CreateMessageResult> {
    if (!("model" in response)) return { invalid: "The answer was not a model's message." };
    return { answer: { action: "accept", content: response } };
  }
}
