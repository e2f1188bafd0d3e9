import { describe, expect, test } from "vitest";
import { fieldsOf, inWords } from "../src/form-fields.js";

const [text, email, amount, flag, plain, titled, legacy, several] = fieldsOf({
  type: "object",
  properties: {
    text: { type: "string", title: "Your\nname", minLength: 2, maxLength: 20 },
    email: { type: "string", format: "email", description: "to reach you" },
    amount: { type: "integer", minimum: 1, default: 2 },
    flag: { type: "boolean", default: false },
    plain: { type: "string", enum: ["s", "m"] },
    titled: { type: "string", oneOf: [{ const: "s", title: "Small" }] },
    legacy: { type: "string", enum: ["s", "m"], enumNames: ["Small"] },
    several: {
      type: "array",
      items: { anyOf: [{ const: "a", title: "Apple" }] },
      minItems: 1,
      maxItems: 1,
    },
  },
  required: ["text", "several"],
});

describe("a form's fields", () => {
  test("say what they are, what fits, and what they begin with", () => {
    expect(text).toMatchObject({
      kind: "text",
      label: "Your name",
      required: true,
      takes: "2 to 20 characters",
    });
    expect(email).toMatchObject({
      kind: "text",
      label: "email",
      takes: "an email address",
      required: false,
    });
    expect(amount).toMatchObject({
      kind: "number",
      takes: "a whole number, at least 1",
      initial: 2,
    });
    expect(flag).toMatchObject({ kind: "yes-no", initial: false });
    expect(several).toMatchObject({
      kind: "choices",
      takes: "exactly 1 of a list",
      required: true,
    });
  });

  test("offer their choices under the labels they come with", () => {
    expect(plain).toMatchObject({
      choices: [
        { value: "s", label: "s" },
        { value: "m", label: "m" },
      ],
    });
    expect(titled).toMatchObject({ choices: [{ value: "s", label: "Small" }] });
    expect(legacy).toMatchObject({
      choices: [
        { value: "s", label: "Small" },
        { value: "m", label: "m" },
      ],
    });
  });

  test("show their values as the user chose them", () => {
    expect(inWords(flag!, true)).toBe("Yes");
    expect(inWords(flag!, false)).toBe("No");
    expect(inWords(titled!, "s")).toBe("Small");
    expect(inWords(several!, ["a"])).toBe("Apple");
    expect(inWords(several!, [])).toBe("none");
    expect(inWords(amount!, 3)).toBe("3");
    expect(inWords(text!, "a\u001bb")).toBe("a\\x1bb");
    expect(inWords(text!, undefined)).toBe("");
  });
});
