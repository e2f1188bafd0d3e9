import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/*
 * Code in the documents comes from files that are compiled and run by the tests. A document marks
 * the place with `<!-- example: path -->`, and the block after the mark is filled from that file.
 */
const ROOT = path.resolve(import.meta.dirname, "..");
const BLOCK = /<!-- example: (?<file>\S+) -->\n\n```(?<lang>\w*)\n(?<code>[\s\S]*?)```/g;

/**
 * The documents that may hold examples.
 * @returns {string[]}
 */
export function documents() {
  const inDocs = readdirSync(path.join(ROOT, "docs")).filter((name) => name.endsWith(".md"));
  return ["README.md", "README.ja.md", ...inDocs.map((name) => `docs/${name}`)].filter((name) =>
    existsSync(path.join(ROOT, name)),
  );
}

/**
 * A document's text, and the same with every example as its file has it.
 * @param {string} document
 * @returns {{ text: string, right: string, files: string[] }}
 */
export function filled(document) {
  const text = readFileSync(path.join(ROOT, document), "utf8");
  /** @type {string[]} */
  const files = [];
  /** @type {(block: string, file: string, lang: string) => string} */
  const fill = (_, file, lang) => {
    files.push(file);
    const code = readFileSync(path.join(ROOT, file), "utf8");
    return `<!-- example: ${file} -->\n\n\`\`\`${lang}\n${code}\`\`\``;
  };
  const right = text.replace(BLOCK, fill);
  return { text, right, files };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const document of documents())
    writeFileSync(path.join(ROOT, document), filled(document).right);
}
