import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createMcpServer, form, structured } from "../../src/entry/index.js";
import type { Question } from "../../src/entry/index.js";
import { asking } from "../../src/flow/question.js";
import { accept, drive } from "../support/caller.js";
import { hosts } from "../support/hosts.js";
import type { Wire } from "../support/hosts.js";

/** Asks a question and gives what went over the wire and what the handler got. */
async function ask(
  question: Question<unknown>,
  content: Wire,
): Promise<{ asked: Wire; got: unknown }> {
  const make = hosts["in memory"];
  if (make === undefined) throw new Error("no host");
  const host = await make(
    () =>
      createMcpServer({ name: "forms", version: "1" }, { log: false }).tool(
        "t",
        {},
        async (_, call) => structured({ got: await call.ask("q", question) }),
      ),
    false,
  );
  let asked: Wire = {};
  const { last } = await drive(
    host,
    "tools/call",
    { name: "t" },
    {
      q: (request) => {
        asked = (request["params"] as { requestedSchema: Wire }).requestedSchema;
        return accept(content);
      },
    },
    { rounds: 2 },
  );
  await host.close();
  return { asked, got: (last.result?.["structuredContent"] as Wire | undefined)?.["got"] };
}

const CONTENT = { name: "Ada", age: 36, colour: "red", sure: true };
const FLAT = {
  type: "object",
  properties: {
    name: { type: "string", maxLength: 10 },
    age: { type: "integer" },
    colour: { type: "string", enum: ["red", "green"] },
    sure: { type: "boolean" },
  },
};

describe("the same form, said by each library", () => {
  const forms: [string, Question<unknown>][] = [
    [
      "zod",
      form(
        "?",
        z.object({
          name: z.string().max(10),
          age: z.int(),
          colour: z.enum(["red", "green"]),
          sure: z.boolean(),
        }),
      ),
    ],
    [
      "ArkType",
      form(
        "?",
        type({
          name: "string <= 10",
          age: "number.integer",
          colour: "'red' | 'green'",
          sure: "boolean",
        }),
      ),
    ],
    [
      "Valibot",
      form(
        "?",
        toStandardJsonSchema(
          v.object({
            name: v.pipe(v.string(), v.maxLength(10)),
            age: v.pipe(v.number(), v.integer()),
            colour: v.picklist(["red", "green"]),
            sure: v.boolean(),
          }),
        ),
      ),
    ],
    ["JSON Schema", form("?", { ...FLAT, required: ["name", "age", "colour", "sure"] } as never)],
  ];

  it.each(forms)("%s", async (_, question) => {
    const { asked, got } = await ask(question, CONTENT);
    expect(got).toEqual(CONTENT);
    const { properties, required } = asked as {
      properties: Record<string, Wire>;
      required: string[];
    };
    expect(new Set(required)).toEqual(new Set(["name", "age", "colour", "sure"]));
    expect(properties["name"]).toMatchObject({ type: "string", maxLength: 10 });
    expect(properties["age"]).toMatchObject({ type: "integer" });
    expect(properties["colour"]).toMatchObject({ type: "string" });
    expect(properties["sure"]).toMatchObject({ type: "boolean" });
  });
});

it("formats that zod says with a pattern beside them are asked for, and held to", async () => {
  const schema = z.object({
    mail: z.email(),
    day: z.iso.date(),
    at: z.iso.datetime(),
    site: z.url(),
  });
  const content = {
    mail: "a@example.com",
    day: "2026-07-28",
    at: "2026-07-28T00:00:00Z",
    site: "https://example.com",
  };
  const { asked, got } = await ask(form("?", schema), content);
  expect(got).toEqual(content);
  expect(asked["properties"]).toMatchObject({
    mail: { type: "string", format: "email" },
    day: { type: "string", format: "date" },
    at: { type: "string", format: "date-time" },
    site: { type: "string", format: "uri" },
  });
});

it("defaults and transformations are the schema's own", async () => {
  const schema = z.object({
    often: z.number().default(3),
    day: z.iso.date().transform((day) => day.slice(0, 4)),
  });
  const { got } = await ask(form("?", schema), { day: "2026-07-28" });
  expect(got).toEqual({ often: 3, day: "2026" });
});

it("a schema that cannot say itself in JSON Schema is refused, and told how", () => {
  const plain = v.object({ name: v.string() });
  expect(() => form("?", plain as never)).toThrow(
    expect.objectContaining({
      code: "usage",
      message: expect.stringContaining("toStandardJsonSchema") as string,
    }),
  );
});

describe("a form that is made anew in every run", () => {
  const schema = z.object({ reason: z.string() });

  it("is the same question where the same is asked, and is digested once", () => {
    const one = form("Why?", schema);
    expect(form("Why?", schema)).toBe(one);
    expect(form("Why not?", schema)).not.toBe(one);
    expect(form("Why?", z.object({ reason: z.string() }))).not.toBe(one);
    expect(form("Sure?")).toBe(form("Sure?"));
  });

  it("is never one whose answer counts up front", () => {
    const never = asking(form("Why?", schema));
    const early = asking(form("Why?", schema, { upFront: true }));
    expect([never.upFront, early.upFront]).toEqual([false, true]);
    expect(asking(form("Why?", schema)).upFront).toBe(false);
    expect(early.digest).toBe(never.digest);
  });

  it("is kept for a few messages only, none of them long", () => {
    const first = form("Number 0?", schema);
    for (let n = 1; n <= 8; n += 1) form(`Number ${String(n)}?`, schema);
    expect(form("Number 0?", schema)).not.toBe(first);
    const long = `${"very ".repeat(60)}long?`;
    expect(form(long, schema)).not.toBe(form(long, schema));
  });
});
