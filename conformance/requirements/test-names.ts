import { readFileSync } from "node:fs";
import ts from "typescript";

const KINDS: ReadonlySet<string> = new Set(["describe", "it", "test"]);

/**
 * The names of the tests in one file, those of their `describe`s before them: `a feature > does
 * this`. Names stand as they are written, so a table of cases has one name, `%s` included.
 */
export function testNames(file: string): ReadonlySet<string> {
  const text = readFileSync(file, "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const names = new Set<string>();
  const visit = (node: ts.Node, outer: readonly string[]): void => {
    const found = ts.isCallExpression(node) ? declared(node) : undefined;
    if (found === undefined) {
      ts.forEachChild(node, (child) => visit(child, outer));
      return;
    }
    const path = [...outer, found.title];
    if (found.kind === "describe") found.body.forEach((child) => visit(child, path));
    else names.add(path.join(" > "));
  };
  visit(source, []);
  return names;
}

interface Declared {
  readonly kind: string;
  readonly title: string;
  readonly body: readonly ts.Node[];
}

/** `describe("…", …)`, `it.each(…)("…", …)` and their like. */
function declared({ expression, arguments: given }: ts.CallExpression): Declared | undefined {
  const kind = callee(expression);
  const [title, ...body] = given;
  if (kind === undefined || title === undefined || body.length === 0) return undefined;
  if (ts.isStringLiteralLike(title)) return { kind, title: title.text, body };
  if (ts.isTemplateExpression(title)) return { kind, title: title.getText().slice(1, -1), body };
  return undefined;
}

function callee(expression: ts.Expression): string | undefined {
  if (ts.isIdentifier(expression)) {
    return KINDS.has(expression.text) ? expression.text : undefined;
  }
  const isPart = ts.isPropertyAccessExpression(expression) || ts.isCallExpression(expression);
  if (isPart) return callee(expression.expression);
  return ts.isTaggedTemplateExpression(expression) ? callee(expression.tag) : undefined;
}
