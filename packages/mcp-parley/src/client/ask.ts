import type { InputRequest, InputResponse, InputResponses } from "../protocol/input.js";
import type { Awaitable } from "../protocol/json.js";
import { CREATE_MESSAGE, ELICIT, LIST_ROOTS, nameOf } from "../protocol/methods.js";
import {
  type About,
  type AnswerFunctions,
  type Asker,
  type QuestionKind,
  kindOf,
} from "./answers.js";
import type { Cancellation, Canceller } from "./cancel.js";
import { checkAnswer } from "./check-answer.js";
import { UnfinishedError } from "./errors.js";
import { type OpenQuestion, type PendingCall, openQuestions } from "./pending.js";
import { refuseUndeclared } from "./undeclared.js";

/** The kinds of question a person answers. */
const FOR_PEOPLE: ReadonlySet<QuestionKind> = new Set(["form", "url"]);

/**
 * Has the host's functions answer what a pending call asks, and gives their answers, checked.
 * `failing` is cancelled by the first that fails, and may be by whoever gives up on them.
 *
 * 1. Where a function is missing none is called: `answer_missing` names the keys and their kinds. Nor
 *    is one where the server asks for what was not declared: `result_invalid`.
 * 2. People are asked one thing after another, in the server's order; a model and the list of roots
 *    meanwhile.
 * 3. The first failure ends the round: the other functions' signal aborts, and nothing is sent.
 */
export async function answerRound(
  pending: PendingCall,
  server: Asker,
  functions: AnswerFunctions,
  failing: Canceller,
): Promise<InputResponses> {
  const lacking: OpenQuestion[] = [];
  const forPeople: OpenQuestion[] = [];
  const others: OpenQuestion[] = [];
  for (const question of openQuestions(pending)) {
    const kind = kindOf(question.request);
    if (functions[kind] === undefined) lacking.push(question);
    else (FOR_PEOPLE.has(kind) ? forPeople : others).push(question);
  }
  if (lacking.length > 0) throw missing(lacking, pending);
  refuseUndeclared(pending);

  const answerInTurn = async (
    questions: readonly OpenQuestion[],
  ): Promise<[string, InputResponse][]> => {
    const answers: [string, InputResponse][] = [];
    for (const { key, request } of questions) {
      failing.stopIfCancelled();
      const given = await put(request, functions, aboutOf(pending, server, key, failing));
      answers.push([key, checkAnswer(key, request, given)]);
    }
    return answers;
  };
  const lanes = [forPeople, ...others.map((other) => [other])];
  try {
    const answers = await unlessCancelled(failing, Promise.all(lanes.map(answerInTurn)));
    return Object.fromEntries(answers.flat());
  } catch (error) {
    failing.cancel(error);
    throw error;
  }
}

function put(request: InputRequest, functions: AnswerFunctions, about: About): Awaitable<unknown> {
  switch (request.method) {
    case ELICIT: {
      const { params } = request;
      return params.mode === "url"
        ? functions.url?.(params, about)
        : functions.form?.(params, about);
    }
    case CREATE_MESSAGE:
      return functions.sample?.(request.params, about);
    case LIST_ROOTS:
      return functions.roots?.({ ...request.params }, about);
  }
}

function aboutOf(
  { method, params, round }: PendingCall,
  server: Asker,
  key: string,
  cancellation: Cancellation,
): About {
  const name = nameOf(method, params) ?? "";
  return {
    server,
    method,
    name,
    key,
    round,
    get signal() {
      return cancellation.signal;
    },
  };
}

/** Rejects once it is cancelled, whether or not the functions at work heed it. */
function unlessCancelled<T>(cancellation: Cancellation, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    cancellation.onCancel(reject);
    work.then(resolve, reject);
  });
}

function missing(lacking: readonly OpenQuestion[], pending: PendingCall): UnfinishedError {
  const named = lacking.map(({ key, request }) => `"${key}" (${kindOf(request)})`).join(", ");
  return new UnfinishedError(
    "answer_missing",
    `Nothing here answers ${named}: give connect() an answer function of that name, or answer the pending call yourself.`,
    pending,
  );
}
