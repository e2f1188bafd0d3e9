import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, test } from "vitest";
import { PAGES } from "./requirements.js";
import type { Level, Page, Proof, Requirement } from "./requirements/requirement.js";
import { testNames } from "./requirements/test-names.js";
import { SCENARIOS } from "./scenarios.js";

const ROOT = path.resolve(import.meta.dirname, "..");

interface Placed extends Requirement {
  readonly place: string;
}

const entriesOf = ({ path: page, sections }: Page): Placed[] =>
  Object.entries(sections).flatMap(([section, entries]) =>
    entries.map((entry) => ({ ...entry, place: `${page}, ${section}: ${entry.says}` })),
  );

const entries = PAGES.flatMap(entriesOf);

const namesByFile = new Map<string, ReadonlySet<string>>();
function namesIn(file: string): ReadonlySet<string> {
  const names = namesByFile.get(file) ?? testNames(path.join(ROOT, file));
  namesByFile.set(file, names);
  return names;
}

/** What is wrong with a proof; undefined where it holds. */
function faultOf(proof: Proof, level: Level): string | undefined {
  switch (proof.kind) {
    case "test":
      return namesIn(proof.file).has(proof.name)
        ? undefined
        : `${proof.file} has no test '${proof.name}'`;
    case "referee": {
      const known: readonly string[] = SCENARIOS[proof.leg];
      return known.includes(proof.scenario)
        ? undefined
        : `the ${proof.leg} is not held to the scenario '${proof.scenario}'`;
    }
    case "document":
      return readFileSync(path.join(ROOT, proof.file), "utf8").includes(proof.says)
        ? undefined
        : `${proof.file} does not say '${proof.says}'`;
    case "not followed":
      if (!level.startsWith("SHOULD") && level !== "RECOMMENDED") return `a ${level} is followed`;
      return reasonFault(proof.why);
    case "not ours":
      return reasonFault(proof.why);
  }
}

const reasonFault = (why: string): string | undefined =>
  why.trim().length < 20 ? `'${why}' is no reason` : undefined;

function faultsOf({ place, proofs, level }: Placed): string[] {
  if (proofs.length === 0) return [`${place}: neither a test nor a reason`];
  return proofs.flatMap((proof) => {
    const fault = faultOf(proof, level);
    return fault === undefined ? [] : [`${place}: ${fault}`];
  });
}

describe.each(PAGES)("the requirements of $path", (page) => {
  it("are each shown by what exists, or excused", () => {
    expect(entriesOf(page).flatMap(faultsOf)).toEqual([]);
  });

  it("are as many as the page has key words", () => {
    const counted: Partial<Record<Level, number>> = {};
    for (const { level, countsAsKeyWord } of entriesOf(page)) {
      if (countsAsKeyWord) counted[level] = (counted[level] ?? 0) + 1;
    }
    expect(counted).toEqual(page.keyWords);
  });
});

test("no requirement and no page is there twice", () => {
  const places = [...entries.map(({ place }) => place), ...PAGES.map(({ path: page }) => page)];
  expect(places.filter((place, at) => places.indexOf(place) !== at)).toEqual([]);
});

describe("the manifest's own checks", () => {
  const HERE = "conformance/requirements.test.ts";
  const checked = (level: Level, ...proofs: Proof[]): string[] =>
    faultsOf({ place: "p", level, binds: "both", says: "s", countsAsKeyWord: true, proofs });

  it("find an entry with nothing to show for itself", () => {
    expect(checked("MUST")).toEqual(["p: neither a test nor a reason"]);
    expect(checked("MUST", { kind: "not ours", why: " " })).toHaveLength(1);
  });

  it("know a test by its whole name", () => {
    const name = "the manifest's own checks > know a test by its whole name";
    expect(checked("MUST", { kind: "test", file: HERE, name })).toEqual([]);
    const short = "know a test by its whole name";
    expect(checked("MUST", { kind: "test", file: HERE, name: short })).toHaveLength(1);
    const each = "the requirements of $path > are as many as the page has key words";
    expect(checked("MUST", { kind: "test", file: HERE, name: each })).toEqual([]);
  });

  it("know the scenarios the referee judges, and what documents say", () => {
    expect(checked("MUST", { kind: "referee", leg: "server", scenario: "caching" })).toEqual([]);
    expect(checked("MUST", { kind: "referee", leg: "client", scenario: "caching" })).toHaveLength(
      1,
    );
    const file = "docs/architecture.md";
    expect(checked("MUST", { kind: "document", file, says: "Not forged." })).toEqual([]);
    expect(checked("MUST", { kind: "document", file, says: "Not so." })).toHaveLength(1);
  });

  it("let a SHOULD be left, with a reason, and never a MUST", () => {
    const left: Proof = { kind: "not followed", why: "there is a good reason for this" };
    expect(checked("SHOULD", left)).toEqual([]);
    expect(checked("MUST", left)).toHaveLength(1);
    expect(checked("REQUIRED", left)).toHaveLength(1);
  });
});
