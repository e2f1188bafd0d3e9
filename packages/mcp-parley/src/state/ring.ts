import { ParleyError } from "../protocol/errors.js";
import { newKeyText } from "./key-text.js";
import type { KeySource, KeyTexts } from "./key-source.js";
import { systemRandom, type Random } from "./random.js";
import { INSPECT, RingKey } from "./ring-key.js";

/** What happens to a ring while it is in use. Holds ids, never keys. */
export type KeyEvent =
  | { type: "keys_changed"; source: string; primary: string; ids: readonly string[] }
  | { type: "keys_rejected"; source: string; error: unknown };

/** Keys enabled at once. More is a mistake, and each costs a look-up table its place. */
const MAX_KEYS = 64;

/**
 * The keys of a fleet: one primary seals, every enabled key opens.
 *
 * 1. A key is found by its id alone; nothing is ever tried key by key.
 * 2. There is exactly one primary at any time.
 * 3. New keys that are no good leave the ring as it was.
 * 4. Printed, inspected or turned into JSON it shows ids only.
 */
export class KeyRing {
  /** True where this process made its own key: no other instance and no restart opens its states. */
  readonly ephemeral: boolean;
  #keys: ReadonlyMap<string, RingKey>;
  #primary: RingKey;
  readonly #listeners = new Set<(event: KeyEvent) => void>();
  readonly #stop: (() => void) | undefined;

  /** Throws `key_invalid`, or `keys_missing` where the source has none. */
  constructor(source: KeySource, ephemeral = false) {
    this.ephemeral = ephemeral;
    [this.#primary, this.#keys] = build(source.read(), new Map());
    this.#stop = source.watch?.({
      changed: (texts) => {
        this.#replace(source.name, texts);
      },
      failed: (error) => {
        this.#tell({ type: "keys_rejected", source: source.name, error });
      },
    });
  }

  /** The key that seals. */
  get primary(): RingKey {
    return this.#primary;
  }

  /** Ids of all enabled keys, the primary's first. */
  get ids(): readonly string[] {
    return [...this.#keys.keys()];
  }

  /** The enabled key with that id: 16 hexadecimal digits. */
  find(id: string): RingKey | undefined {
    return this.#keys.get(id);
  }

  /** Calls `listener` with what happens to the ring, until the returned function is called. */
  listen(listener: (event: KeyEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends watching the source. The ring keeps the keys it has. */
  close(): void {
    this.#stop?.();
    this.#listeners.clear();
  }

  #replace(source: string, texts: KeyTexts): void {
    try {
      [this.#primary, this.#keys] = build(texts, this.#keys);
    } catch (error) {
      this.#tell({ type: "keys_rejected", source, error });
      return;
    }
    this.#tell({ type: "keys_changed", source, primary: this.#primary.id, ids: this.ids });
  }

  #tell(event: KeyEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  toString(): string {
    return `KeyRing { primary: ${this.#primary.id}, ids: ${this.ids.join(" ")} }`;
  }

  toJSON(): { primary: string; ids: readonly string[] } {
    return { primary: this.#primary.id, ids: this.ids };
  }

  [INSPECT](): string {
    return this.toString();
  }
}

/** Keys that stay keep what they have derived. */
function build(
  texts: KeyTexts,
  before: ReadonlyMap<string, RingKey>,
): [RingKey, ReadonlyMap<string, RingKey>] {
  const keys = new Map<string, RingKey>();
  for (const text of texts) {
    const key = new RingKey(text);
    keys.set(key.id, before.get(key.id) ?? key);
  }
  const [primary] = keys.values();
  if (primary === undefined) {
    throw new ParleyError("keys_missing", "No key is given. Make one with `parley keys new`.");
  }
  if (keys.size > MAX_KEYS) {
    throw new ParleyError("key_invalid", `${keys.size} keys are enabled, more than ${MAX_KEYS}.`);
  }
  return [primary, keys];
}

/**
 * A ring from keys, each 32 random bytes as base64url, base64 or hexadecimal text: a list, one
 * text with commas or white space between, or a {@link KeySource} such as `keyFile(path)`. The
 * first is the primary.
 * Without `input` the environment's PARLEY_KEYS is taken, and where that is not set the process
 * makes a key of its own and the ring is `ephemeral`: whoever creates it says so aloud.
 * Throws `key_invalid` for what is no key, and `keys_missing` for an input with none in it.
 */
export function keyRing(
  input: string | readonly string[] | KeySource | undefined = process.env["PARLEY_KEYS"],
  random: Random = systemRandom,
): KeyRing {
  if (input === undefined) return new KeyRing(fixed("this process", [newKeyText(random)]), true);
  if (typeof input === "string") return new KeyRing(fixed("a value", split(input)));
  return new KeyRing("read" in input ? input : fixed("a value", input));
}

function split(text: string): string[] {
  return text.split(/[\s,]+/).filter((part) => part !== "");
}

function fixed(name: string, texts: KeyTexts): KeySource {
  return { name, read: () => texts };
}
