/**
 * The words a manifest of requirements is written in.
 *
 * 1. An entry stands for one key word of a page (MUST, SHOULD NOT …), in the page's order, or for a
 *    further point of the list that the entry before it opens.
 * 2. Each entry names what shows that we keep to it, or why nothing here can.
 */

/** The key words of RFC 2119 that the pages use. */
export type Level = "MUST" | "MUST NOT" | "SHOULD" | "SHOULD NOT" | "REQUIRED" | "RECOMMENDED";

/**
 * Whom an entry binds. `host` is the application around a client, and its people; `author`, who
 * writes a server with a library; `others`, peers of another kind, such as gateways or the authors
 * of other transports and extensions.
 */
export type Binds = "server" | "client" | "both" | "host" | "author" | "others";

/** A test, by its file from the repository's root and its name, with those of its `describe`s. */
export interface ByTest {
  readonly kind: "test";
  readonly file: string;
  readonly name: string;
}

/** A scenario of the outside referee. */
export interface ByReferee {
  readonly kind: "referee";
  readonly leg: "server" | "client";
  readonly scenario: string;
}

/** What a document has to say: for what is to be documented, or told to hosts and authors. */
export interface ByDocument {
  readonly kind: "document";
  readonly file: string;
  readonly says: string;
}

/** Why no test of ours can show it. */
export interface NotOurs {
  readonly kind: "not ours";
  readonly why: string;
}

/** A SHOULD that is not followed, and the reason; no MUST can be answered so. */
export interface NotFollowed {
  readonly kind: "not followed";
  readonly why: string;
}

export type Proof = ByTest | ByReferee | ByDocument | NotOurs | NotFollowed;

export interface Requirement {
  readonly level: Level;
  readonly binds: Binds;
  /** What it asks, in our words. */
  readonly says: string;
  /** False for a further point under the key word of the entry before. */
  readonly countsAsKeyWord: boolean;
  readonly proofs: readonly Proof[];
}

/** One page of the specification. */
export interface Page {
  /** Its path under the revision's folder. */
  readonly path: string;
  /** How often each key word stands in it, counted by hand when its entries were written. */
  readonly keyWords: Readonly<Partial<Record<Level, number>>>;
  /** Its entries by the heading they stand under; `""` is the text before the first. */
  readonly sections: Readonly<Record<string, readonly Requirement[]>>;
}

/** The entry of one key word. */
type Entry = (binds: Binds, says: string, ...proofs: readonly Proof[]) => Requirement;

const entry =
  (level: Level): Entry =>
  (binds, says, ...proofs) => ({ level, binds, says, countsAsKeyWord: true, proofs });

export const must = entry("MUST");
export const mustNot = entry("MUST NOT");
export const should = entry("SHOULD");
export const shouldNot = entry("SHOULD NOT");
export const required = entry("REQUIRED");
export const recommended = entry("RECOMMENDED");

/** A further point under the same key word. */
export const also =
  (of: Entry): Entry =>
  (...given) => ({ ...of(...given), countsAsKeyWord: false });

/** Names the tests of one file. */
export const testsIn =
  (file: string) =>
  (name: string): ByTest => ({ kind: "test", file, name });

export const referee = (leg: ByReferee["leg"], scenario: string): ByReferee => ({
  kind: "referee",
  leg,
  scenario,
});

export const told = (file: string, says: string): ByDocument => ({ kind: "document", file, says });

export const notOurs = (why: string): NotOurs => ({ kind: "not ours", why });

export const notFollowed = (why: string): NotFollowed => ({ kind: "not followed", why });
