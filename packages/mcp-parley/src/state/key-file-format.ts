import { ParleyError } from "../protocol/errors.js";
import { isObject } from "../protocol/json.js";
import type { KeyTexts } from "./key-source.js";
import { RingKey } from "./ring-key.js";
import { SecretText } from "./secret-text.js";

/** A key as a key file has it. Times are ms since 1970 here, ISO 8601 in the file. */
export interface KeyEntry {
  readonly id: string;
  /** The key's text; undefined for a disabled key, whose secret is not kept. Printing shows none. */
  readonly key: SecretText | undefined;
  readonly state: "primary" | "enabled" | "disabled";
  readonly added: number;
  /** When it last stopped being the primary; undefined if it never was one, or is. */
  readonly demoted: number | undefined;
  readonly disabled: number | undefined;
}

/** What a key file says. */
export interface KeyFile {
  /** The longest time, in ms, for which anything sealed under these keys may have to be opened. */
  readonly longestLife: number;
  /** The time, in ms, within which every instance has surely read a change of the file. */
  readonly rollout: number;
  readonly entries: readonly KeyEntry[];
}

const FORMAT_VERSION = 1;

/** Text of a key file: JSON, one member a line. */
export function formatKeyFile({ longestLife, rollout, entries }: KeyFile): string {
  const time = (ms: number | undefined): string | undefined =>
    ms === undefined ? undefined : new Date(ms).toISOString();
  const keys = entries.map(({ id, key, state, added, demoted, disabled }) => ({
    id,
    key: key?.reveal(),
    state,
    added: time(added),
    demoted: time(demoted),
    disabled: time(disabled),
  }));
  return JSON.stringify({ parleyKeys: FORMAT_VERSION, longestLife, rollout, keys }, null, 2) + "\n";
}

/**
 * Reads a key file. Throws `key_invalid`, saying where but never quoting the text: exactly one
 * primary, every enabled key a proper one whose id is its fingerprint, no id twice.
 */
export function parseKeyFile(text: string): KeyFile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes what it could not read.
    throw invalid("it is not JSON");
  }
  if (!isObject(value) || value["parleyKeys"] !== FORMAT_VERSION) {
    throw invalid(`it has no \`parleyKeys\`: ${FORMAT_VERSION}`);
  }
  const { longestLife, rollout, keys } = value as Partial<Record<string, unknown>>;
  if (!isSpan(longestLife)) throw invalid("`longestLife` is no number of ms");
  if (!isSpan(rollout)) throw invalid("`rollout` is no number of ms");
  if (!Array.isArray(keys)) throw invalid("`keys` is no list");
  const entries = (keys as readonly unknown[]).map(parseEntry);
  if (new Set(entries.map(({ id }) => id)).size < entries.length) {
    throw invalid("an id stands there twice");
  }
  if (entries.filter(({ state }) => state === "primary").length !== 1) {
    throw invalid("there has to be exactly one primary");
  }
  return { longestLife, rollout, entries };
}

/** The keys a ring takes from a file's text: a key file, or a plain list with the primary first. */
export function keyTextsOf(text: string): KeyTexts {
  if (!text.trimStart().startsWith("{")) {
    return text.split(/[\s,]+/).filter((part) => part !== "");
  }
  const enabled: string[] = [];
  for (const { key, state } of parseKeyFile(text).entries) {
    if (key === undefined) continue;
    if (state === "primary") enabled.unshift(key.reveal());
    else enabled.push(key.reveal());
  }
  return enabled;
}

function parseEntry(value: unknown, index: number): KeyEntry {
  const where = `key ${index + 1}`;
  if (!isObject(value)) throw invalid(`${where} is no object`);
  const { id, key, state } = value as Partial<Record<string, unknown>>;
  if (state !== "primary" && state !== "enabled" && state !== "disabled") {
    throw invalid(`${where} is neither primary, enabled nor disabled`);
  }
  if (typeof id !== "string" || !/^[0-9a-f]{16}$/.test(id)) throw invalid(`${where} has no id`);
  let secret: SecretText | undefined;
  if (state === "disabled") {
    if (key !== undefined) throw invalid(`${where} is disabled and still has its secret`);
  } else if (typeof key !== "string" || new RingKey(key).id !== id) {
    throw invalid(`${where} has an id that is not its fingerprint`);
  } else {
    secret = new SecretText(key);
  }
  const added = parseTime(value["added"]);
  if (added === undefined) throw invalid(`${where} does not say when it was added`);
  return {
    id,
    key: secret,
    state,
    added,
    demoted: parseTime(value["demoted"]),
    disabled: parseTime(value["disabled"]),
  };
}

function parseTime(value: unknown): number | undefined {
  const ms = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

function isSpan(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= 10 * 365 * 24 * 3600 * 1000;
}

function invalid(what: string): ParleyError {
  return new ParleyError(
    "key_invalid",
    `This is no key file: ${what}. Make one with \`parley keys new FILE\`.`,
  );
}
