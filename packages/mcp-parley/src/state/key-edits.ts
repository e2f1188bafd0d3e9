import { ParleyError } from "../protocol/errors.js";
import type { KeyEntry, KeyFile } from "./key-file-format.js";
import { newKeyText } from "./key-text.js";
import { systemRandom, type Random } from "./random.js";
import { RingKey } from "./ring-key.js";
import { SecretText } from "./secret-text.js";

/*
 * The steps of a rotation: add, wait until every instance has the key, promote, wait until nothing
 * sealed under the old one can come back, disable. Each step refuses to be taken too early.
 */

/** How long anything sealed may have to be opened, unless said otherwise: 10 minutes, in ms. */
export const LONGEST_LIFE = 10 * 60_000;

/** How long until every instance has read a change, unless said otherwise: 1 minute, in ms. */
export const ROLLOUT = 60_000;

/** A file with one key, the primary. */
export function newKeyFile(
  { longestLife = LONGEST_LIFE, rollout = ROLLOUT }: Partial<Omit<KeyFile, "entries">> = {},
  now: () => number = Date.now,
  random: Random = systemRandom,
): KeyFile {
  return { longestLife, rollout, entries: [newEntry("primary", now(), random)] };
}

/** Adds a key that opens, but does not seal yet. */
export function addKey(
  file: KeyFile,
  now: () => number = Date.now,
  random: Random = systemRandom,
): KeyFile {
  return { ...file, entries: [...file.entries, newEntry("enabled", now(), random)] };
}

/** When every instance has surely read a key, in ms. */
export function safeToPromoteFrom(file: KeyFile, entry: KeyEntry): number {
  return entry.added + file.rollout;
}

/**
 * Makes a key the primary. Throws `key_unsafe` while some instance may not have it yet and would
 * refuse what the others seal; `force` does it all the same, as after a leak.
 */
export function promoteKey(
  file: KeyFile,
  id: string,
  { force = false }: { force?: boolean } = {},
  now: () => number = Date.now,
): KeyFile {
  const entry = findEntry(file, id);
  if (entry.state === "disabled") {
    throw new ParleyError(
      "usage",
      `Key ${entry.id} is disabled and its secret gone. Add a new one.`,
    );
  }
  if (entry.state === "primary") return file;
  const safeFrom = safeToPromoteFrom(file, entry);
  if (!force && now() < safeFrom) {
    throw new ParleyError(
      "key_unsafe",
      `Key ${entry.id} was added at ${iso(entry.added)}. An instance that has not read it yet would refuse every state ` +
        `that the others seal under it. Promote it after ${iso(safeFrom)}, or force it if that matters less.`,
    );
  }
  return change(file, (other) => {
    if (other.id === entry.id) return { ...other, state: "primary", demoted: undefined };
    if (other.state === "primary") return { ...other, state: "enabled", demoted: now() };
    return other;
  });
}

/** When nothing sealed under a key can come back any more, in ms; undefined while it still seals. */
export function safeToDisableFrom(file: KeyFile, entry: KeyEntry): number | undefined {
  if (entry.state === "primary") return undefined;
  // Until it has read the change, an instance goes on sealing under the old primary.
  if (entry.demoted !== undefined) return entry.demoted + file.rollout + file.longestLife;
  return entry.added;
}

/**
 * Disables a key for good: its secret leaves the file. Throws `key_unsafe` for the primary, and
 * while states sealed under the key may come back, saying until when; `leaked` refuses those
 * states at once.
 */
export function disableKey(
  file: KeyFile,
  id: string,
  { leaked = false }: { leaked?: boolean } = {},
  now: () => number = Date.now,
): KeyFile {
  const entry = findEntry(file, id);
  if (entry.state === "disabled") return file;
  const safeFrom = safeToDisableFrom(file, entry);
  if (safeFrom === undefined) {
    throw new ParleyError(
      "key_unsafe",
      `Key ${entry.id} is the primary: it seals the states of all flows, and those sealed now may come back until ` +
        `${iso(now() + file.rollout + file.longestLife)}. Promote another key first.`,
    );
  }
  if (!leaked && now() < safeFrom) {
    throw new ParleyError(
      "key_unsafe",
      `Flows whose state was sealed under key ${entry.id} may go on until ${iso(safeFrom)}; disabled now, it would break ` +
        "them, whoever their users are. Disable it after that, or say that it has leaked to refuse them at once.",
    );
  }
  return change(file, (other) =>
    other.id === entry.id
      ? { ...other, state: "disabled", key: undefined, disabled: now() }
      : other,
  );
}

/** The entry with an id, or with an id that begins so if only one does. Throws `usage`. */
export function findEntry(file: KeyFile, id: string): KeyEntry {
  const found = file.entries.filter((entry) => entry.id.startsWith(id));
  const [entry] = found;
  if (entry === undefined || id === "") {
    throw new ParleyError("usage", `No key has the id ${id}. \`parley keys list\` shows them.`);
  }
  if (found.length > 1) {
    throw new ParleyError("usage", `More than one key has an id that begins with ${id}.`);
  }
  return entry;
}

function newEntry(state: "primary" | "enabled", added: number, random: Random): KeyEntry {
  const text = newKeyText(random);
  const { id } = new RingKey(text);
  const key = new SecretText(text);
  return { id, key, state, added, demoted: undefined, disabled: undefined };
}

function change(file: KeyFile, of: (entry: KeyEntry) => KeyEntry): KeyFile {
  return { ...file, entries: file.entries.map(of) };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
