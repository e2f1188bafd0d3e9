import { ParleyError } from "../protocol/errors.js";

/**
 * A URI template of RFC 6570, as far as it can be read backwards: `{name}` for one segment and
 * `{+name}` for any rest. Anything else is refused with `usage` when the template is made.
 */
export class UriTemplate {
  readonly #pattern: RegExp;
  readonly #names: readonly string[];

  constructor(template: string) {
    const names: string[] = [];
    const pattern = template.split(/(\{[^{}]*\})/).map((part) => {
      const expression = /^\{(\+?)([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(part);
      if (expression !== null) {
        const [, rest, name = ""] = expression;
        if (names.includes(name)) throw unreadable(template, `'${name}' stands twice`);
        names.push(name);
        return rest === "+" ? "(.+)" : "([^/?#]+)";
      }
      if (/[{}]/.test(part)) throw unreadable(template, `'${part}' is neither {name} nor {+name}`);
      return part.replace(/[.*+?^$()|[\]\\]/g, String.raw`\$&`);
    });
    if (names.length === 0) throw unreadable(template, "it has no variable: it is a resource");
    this.#names = names;
    this.#pattern = new RegExp(`^${pattern.join("")}$`, "u");
  }

  /** What the variables stand for in a URI; undefined if it is no URI of this family. */
  match(uri: string): Record<string, string> | undefined {
    const found = this.#pattern.exec(uri);
    if (found === null) return undefined;
    const variables = Object.create(null) as Record<string, string>;
    for (const [at, name] of this.#names.entries()) {
      const value = decoded(found[at + 1] ?? "");
      if (value === undefined) return undefined;
      variables[name] = value;
    }
    return variables;
  }
}

function decoded(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}

function unreadable(template: string, why: string): ParleyError<"usage"> {
  return new ParleyError("usage", `The URI template '${template}' cannot be matched: ${why}`);
}
