import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import { form, link, roots, sample } from "../../src/entry/index.js";
import type { AnswerOf, Call, Question } from "../../src/entry/index.js";

declare const call: Call;
declare function answerTo<Q>(question: Q): AnswerOf<Q>;

test("a form without a schema is a plain yes", () => {
  expectTypeOf(form("Sure?")).toEqualTypeOf<Question<true>>();
});

test("a form's answer is what its schema gives", () => {
  const ofZod = form("?", z.object({ reason: z.string(), often: z.number().optional() }));
  expectTypeOf(answerTo(ofZod)).toEqualTypeOf<{ reason: string; often?: number | undefined }>();
  const ofArk = form("?", type({ colour: "'red' | 'green'" }));
  expectTypeOf(answerTo(ofArk)).toEqualTypeOf<{ colour: "red" | "green" }>();
  const ofValibot = form("?", toStandardJsonSchema(v.object({ age: v.number() })));
  expectTypeOf(answerTo(ofValibot)).toEqualTypeOf<{ age: number }>();
});

test("what a schema transforms, the answer is transformed", () => {
  const question = form("?", z.object({ day: z.iso.date().transform((day) => new Date(day)) }));
  expectTypeOf(answerTo(question)).toEqualTypeOf<{ day: Date }>();
});

test("fields that a flat form cannot ask for do not compile", () => {
  // @ts-expect-error -- an object inside an object
  form("?", z.object({ address: z.object({ street: z.string() }) }));
  // @ts-expect-error -- an array of numbers
  form("?", z.object({ scores: z.array(z.number()) }));
  // @ts-expect-error -- a date is no JSON
  form("?", z.object({ when: z.date() }));
  // a choice of several is a flat field
  form("?", z.object({ colours: z.array(z.enum(["red", "green"])) }));
});

test("askAll gives a record of the answers", () => {
  const asked = call.askAll({
    sure: form("Sure?"),
    why: form("Why?", z.object({ reason: z.string() })),
    page: link("Open", "https://example.com"),
  });
  expectTypeOf(asked).resolves.toEqualTypeOf<{
    sure: true;
    why: { reason: string };
    page: true;
  }>();
});

test("the deprecated kinds give the client's own results", () => {
  expectTypeOf(call.ask("dirs", roots())).resolves.toExtend<{ uri: string }[]>();
  expectTypeOf(call.ask("said", sample({ messages: [], maxTokens: 1 }))).resolves.toHaveProperty(
    "model",
  );
});
