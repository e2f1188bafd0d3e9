/**
 * What a flow remembers between rounds. It lies in the sealed state, so its shape is trusted when
 * it is read; what lies in it came from a client once, and is parsed again each time it is used.
 *
 * 1. A record is found by its kind and key, never by its place.
 * 2. The records before a settled effect are what the run that made the effect had read: an effect
 *    is inserted before records that run had not touched.
 * 3. An answer in the journal is never overwritten.
 */
import type { FormContent } from "../protocol/elicitation.js";
import type { InputResponse } from "../protocol/input.js";
import type { JSONValue } from "../protocol/json.js";

/** An answer as it came, with the digest of the question it answers. */
export interface AnswerRecord {
  readonly kind: "answer";
  readonly key: string;
  readonly digest: string;
  readonly response: InputResponse;
}

/** A value that was computed once; `undefined` is kept as such. */
export interface MemoRecord {
  readonly kind: "memo";
  readonly key: string;
  readonly value: JSONValue | undefined;
}

/** An effect that has settled. One whose value is large leaves it `inLedger`. */
export interface EffectRecord {
  readonly kind: "effect";
  readonly key: string;
  readonly value: JSONValue | undefined;
  readonly inLedger: boolean;
}

/** A checkpoint that was passed. */
export interface CheckpointRecord {
  readonly kind: "checkpoint";
  readonly key: string;
}

/** What an accepted link was opened for has happened. */
export interface OpenedRecord {
  readonly kind: "opened";
  readonly key: string;
}

export type JournalRecord =
  AnswerRecord | MemoRecord | EffectRecord | CheckpointRecord | OpenedRecord;

/** What is known of a question beside its answer. */
export interface Note {
  /** How often it was put. */
  put: number;
  /** How often it changed after it was put. */
  changed: number;
  /** Why it has to be put again. */
  reason: string | undefined;
  /** The URL of a link, made once. */
  url: string | undefined;
  /** What was answered before a step back. */
  defaults: FormContent | undefined;
}

type Encoded = [string, string, ...JSONValue[]];

const identity = (kind: JournalRecord["kind"], key: string): string => `${kind} ${key}`;

/** A flow's records in order, and its notes on questions. */
export class Journal {
  #records: JournalRecord[] = [];
  readonly #index = new Map<string, JournalRecord>();
  readonly #touched = new Set<JournalRecord>();
  readonly #notes = new Map<string, Note>();

  /** Finds a record and marks it as read by this run. */
  read<K extends JournalRecord["kind"]>(
    kind: K,
    key: string,
  ): Extract<JournalRecord, { kind: K }> | undefined {
    const record = this.#index.get(identity(kind, key));
    if (record === undefined) return undefined;
    this.#touched.add(record);
    return record as Extract<JournalRecord, { kind: K }>;
  }

  has(kind: JournalRecord["kind"], key: string): boolean {
    return this.#index.has(identity(kind, key));
  }

  /** Adds a record this run has made, or an answer that has just come and no run has read yet. */
  add(record: JournalRecord, touched = true): void {
    const id = identity(record.kind, record.key);
    if (this.#index.has(id)) return;
    this.#index.set(id, record);
    if (touched) this.#touched.add(record);
    if (record.kind === "effect") {
      const unread = this.#records.filter((other) => !this.#touched.has(other));
      this.#records = this.#records.filter((other) => this.#touched.has(other));
      this.#records.push(record, ...unread);
    } else {
      this.#records.push(record);
    }
  }

  /** Takes out an answer that has to be asked for again. */
  drop(record: AnswerRecord): void {
    this.#index.delete(identity(record.kind, record.key));
    this.#records = this.#records.filter((other) => other !== record);
  }

  /** True when a settled effect comes after this record: what it rests on must not change. */
  isBehindEffect(record: JournalRecord): boolean {
    return this.#records.indexOf(record) < this.#lastEffect();
  }

  /** The answers this run has read so far. */
  answersRead(): (readonly [key: string, response: InputResponse])[] {
    return this.#records.flatMap((record) =>
      record.kind === "answer" && this.#touched.has(record) ? [[record.key, record.response]] : [],
    );
  }

  /** A record from before a settled effect that this run has left out, if there is one. */
  leftOut(): JournalRecord | undefined {
    const last = this.#lastEffect();
    return this.#records.find((record, at) => at < last && !this.#touched.has(record));
  }

  /** Starts another run from the top. */
  startRun(): void {
    this.#touched.clear();
  }

  /**
   * Cuts the journal at an answer. Effects stay; answers taken out become defaults.
   * False if there is no such answer.
   */
  cut(key: string): boolean {
    const from = this.#records.findIndex(
      (record) => record.kind === "answer" && record.key === key,
    );
    if (from === -1) return false;
    const kept: JournalRecord[] = [];
    for (const [at, record] of this.#records.entries()) {
      if (at < from || record.kind === "effect") {
        kept.push(record);
        continue;
      }
      this.#index.delete(identity(record.kind, record.key));
      if (record.kind === "answer") {
        const note = this.note(record.key);
        note.put = 0;
        if ("action" in record.response) note.defaults = record.response.content;
      }
    }
    this.#records = kept;
    return true;
  }

  note(key: string): Note {
    let note = this.#notes.get(key);
    if (note === undefined) {
      note = { put: 0, changed: 0, reason: undefined, url: undefined, defaults: undefined };
      this.#notes.set(key, note);
    }
    return note;
  }

  /** Roughly how much room each record takes, largest first, for a message to its author. */
  sizes(): { kind: string; key: string; bytes: number }[] {
    return this.#records
      .map((record) => ({
        kind: record.kind,
        key: record.key,
        bytes: JSON.stringify(encode(record)).length,
      }))
      .sort((a, b) => b.bytes - a.bytes);
  }

  toJSON(): JSONValue {
    const notes: JSONValue[] = [];
    for (const [key, note] of this.#notes) notes.push(encodeNote(key, note));
    return [this.#records.map(encode), notes];
  }

  static fromJSON(value: JSONValue): Journal {
    const journal = new Journal();
    const [records, notes] = value as [Encoded[], JSONValue[][]];
    for (const encoded of records) {
      const record = decode(encoded);
      journal.#records.push(record);
      journal.#index.set(identity(record.kind, record.key), record);
    }
    for (const [key, ...rest] of notes) journal.#notes.set(key as string, decodeNote(rest));
    return journal;
  }

  #lastEffect(): number {
    return this.#records.findLastIndex((record) => record.kind === "effect");
  }
}

function encode(record: JournalRecord): Encoded {
  switch (record.kind) {
    case "answer":
      return ["a", record.key, record.digest, record.response as unknown as JSONValue];
    case "memo":
      return record.value === undefined ? ["m", record.key] : ["m", record.key, record.value];
    case "effect":
      if (record.inLedger) return ["l", record.key];
      return record.value === undefined ? ["e", record.key] : ["e", record.key, record.value];
    case "checkpoint":
      return ["c", record.key];
    case "opened":
      return ["o", record.key];
  }
}

function decode([tag, key, first, second]: Encoded): JournalRecord {
  switch (tag) {
    case "a":
      return {
        kind: "answer",
        key,
        digest: first as string,
        response: second as unknown as InputResponse,
      };
    case "m":
      return { kind: "memo", key, value: first };
    case "e":
      return { kind: "effect", key, value: first, inLedger: false };
    case "l":
      return { kind: "effect", key, value: undefined, inLedger: true };
    case "o":
      return { kind: "opened", key };
    default:
      return { kind: "checkpoint", key };
  }
}

function encodeNote(key: string, note: Note): JSONValue {
  return [key, note.put, note.changed, note.reason ?? 0, note.url ?? 0, note.defaults ?? 0];
}

function decodeNote([put, changed, reason, url, defaults]: JSONValue[]): Note {
  return {
    put: put as number,
    changed: changed as number,
    reason: reason === 0 ? undefined : (reason as string),
    url: url === 0 ? undefined : (url as string),
    defaults: defaults === 0 ? undefined : (defaults as FormContent),
  };
}
