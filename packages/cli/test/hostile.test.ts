import fc from "fast-check";
import { RpcError, type ElicitRequestFormParams, type RoundEvent } from "mcp-parley/client";
import { describe, expect, test } from "vitest";
import { answerNeeded } from "../src/answer-needed.js";
import { offerText } from "../src/list.js";
import { endingOf } from "../src/report.js";
import { resultText } from "../src/result-text.js";
import { roundInWords } from "../src/rounds.js";

/*
 * Whatever a server says, wherever it says it, nothing of it acts on the terminal.
 */
const ACTING =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u;

const bad = fc
  .array(
    fc.constantFrom("a", "\u001b[2J", "\u009b", "\u202e", "\u200b", "\u0007", "\r", "\n", "\u2028"),
    {
      minLength: 1,
    },
  )
  .map((parts) => parts.join(""));

/** JSON whose texts and names are all bad. */
const anything = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    bad,
    fc.constantFrom(null, true, 7),
    fc.array(tie("value")),
    fc.dictionary(bad, tie("value")),
  ),
})).value;

function harmless(text: string | undefined): void {
  expect(text).toBeDefined();
  expect(text).not.toMatch(ACTING);
}

const form = fc
  .record({ message: bad, field: bad, title: bad, description: bad, choice: bad })
  .map(({ message, field, title, description, choice }): ElicitRequestFormParams => ({
    message,
    requestedSchema: {
      type: "object",
      properties: {
        [field]: { type: "string", title, description, enum: [choice, "b"] },
        [`${field}2`]: { type: "array", items: { anyOf: [{ const: choice, title }] } },
        [`${field}3`]: { type: "string", description, default: choice },
      },
      required: [field, `${field}2`],
    },
  }));

describe("nothing of a server's acts on the terminal", () => {
  test("in what it offers", () => {
    const named = fc.record({
      name: bad,
      title: bad,
      description: bad,
      uri: bad,
      uriTemplate: bad,
      mimeType: bad,
      inputSchema: fc.record({
        type: fc.constant("object" as const),
        properties: fc.dictionary(bad, anything),
      }),
      arguments: fc.array(fc.record({ name: bad, description: bad })),
    });
    fc.assert(
      fc.property(named, bad, (one, text) => {
        const offer = { tools: [one], prompts: [one], resources: [one], resourceTemplates: [one] };
        const server = {
          address: "http://a.test/",
          info: { name: text, version: text },
          capabilities: {},
          instructions: text,
        };
        harmless(offerText(server, offer, (_format, painted) => painted));
      }),
    );
  });

  test("in a result", () => {
    fc.assert(
      fc.property(fc.array(anything), anything, bad, (content, structuredContent, text) => {
        const block = { type: text, text, uri: text, name: text, mimeType: text, data: text };
        const blocks = ["text", "image", "resource_link", "resource", text].map((type) => ({
          ...block,
          type,
          resource: block,
        }));
        harmless(resultText({ content: [...content, ...blocks] as never, structuredContent }));
        harmless(resultText({ content: [], structuredContent }));
      }),
    );
  });

  test("in its questions", () => {
    fc.assert(
      fc.property(form, bad, bad, (params, key, url) => {
        const questions = {
          [key]: { method: "elicitation/create", params },
          [`${key}2`]: { method: "elicitation/create", params: { mode: "url", message: url, url } },
        } as const;
        harmless(answerNeeded(Object.entries(questions), key, undefined).message);
        const round: RoundEvent = {
          method: "tools/call",
          name: key,
          round: 1,
          id: 1,
          outcome: "input_required",
          questions,
          stateSize: 1,
          took: 1,
          answering: 0,
        };
        harmless(roundInWords(round));
      }),
    );
  });

  test("in its errors", () => {
    fc.assert(
      fc.property(bad, anything, (message, data) => {
        harmless(endingOf(new RpcError(-32_000, message, data as never)).message);
        harmless(endingOf(new Error(message)).message);
      }),
    );
  });
});
