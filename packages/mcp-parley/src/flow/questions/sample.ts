import type { ClientCapabilities } from "../../protocol/capabilities.js";
import { requiredBy } from "../../protocol/required-by.js";
import { ParleyError } from "../../protocol/errors.js";
import type { InputResponse } from "../../protocol/input.js";
import { CREATE_MESSAGE } from "../../protocol/methods.js";
import type { CreateMessageRequestParams, CreateMessageResult } from "../../protocol/sampling.js";
import { Asking } from "../question.js";
import type { Question, Reading } from "../question.js";

/**
 * Asks the client's model. Specification: client/sampling.
 * @deprecated by revision 2026-07-28 (SEP-2577): call a model's own API instead.
 */
export function sample(params: CreateMessageRequestParams): Question<CreateMessageResult> {
  if (!Array.isArray(params.messages) || !Number.isSafeInteger(params.maxTokens)) {
    throw new ParleyError("question_invalid", "A sample needs messages and a whole maxTokens");
  }
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
