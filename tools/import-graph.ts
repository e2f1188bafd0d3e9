import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import ts from "typescript";

/** One relative import or re-export between two source files. */
export interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

/** Every relative import between the `.ts` files below a folder, dynamic ones and types included. */
export function importsBelow(folder: string): Import[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => path.join(folder, file))
    .flatMap((from) => importsOf(from).flatMap((found) => relative(from, found)));
}

/** What one file imports, as written. */
export function importsOf(file: string): { specifier: string; typeOnly: boolean }[] {
  const found: { specifier: string; typeOnly: boolean }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      found.push({ specifier: node.moduleSpecifier.text, typeOnly: isTypeOnly(node.importClause) });
    } else if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined) {
      const specifier = (node.moduleSpecifier as ts.StringLiteral).text;
      found.push({ specifier, typeOnly: node.isTypeOnly });
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [argument] = node.arguments;
      if (argument !== undefined && ts.isStringLiteral(argument)) {
        found.push({ specifier: argument.text, typeOnly: false });
      }
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      const { literal } = node.argument;
      if (ts.isStringLiteral(literal)) found.push({ specifier: literal.text, typeOnly: true });
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest));
  return found;
}

function isTypeOnly(clause: ts.ImportClause | undefined): boolean {
  if (clause?.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const named = clause?.name === undefined ? clause?.namedBindings : undefined;
  if (named === undefined || !ts.isNamedImports(named)) return false;
  return named.elements.every((element) => element.isTypeOnly);
}

function relative(from: string, found: { specifier: string; typeOnly: boolean }): Import[] {
  if (!found.specifier.startsWith(".")) return [];
  const to = path.join(path.dirname(from), found.specifier.replace(/\.js$/, ".ts"));
  return [{ from, to, typeOnly: found.typeOnly }];
}

/** Every file that a compiled entry loads, itself included, and every bare specifier among them. */
export function reach(entry: string): { files: string[]; bare: string[] } {
  const files = new Set([entry]);
  const bare = new Set<string>();
  for (const file of files) {
    for (const { specifier } of importsOf(file)) {
      if (specifier.startsWith(".")) files.add(path.join(path.dirname(file), specifier));
      else bare.add(specifier);
    }
  }
  return { files: [...files], bare: [...bare] };
}

/** The files of one cycle, first and last the same, or undefined where there is none. */
export function findCycle(imports: readonly Import[]): string[] | undefined {
  const next = new Map<string, string[]>();
  for (const { from, to } of imports) next.set(from, [...(next.get(from) ?? []), to]);
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]): string[] | undefined => {
    if (trail.includes(file)) return [...trail.slice(trail.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const to of next.get(file) ?? []) {
      const cycle = visit(to, [...trail, file]);
      if (cycle !== undefined) return cycle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of next.keys()) {
    const cycle = visit(file, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}
