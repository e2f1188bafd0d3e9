/** A value that JSON can carry. */
export type JSONValue = string | number | boolean | null | JSONObject | JSONArray;

/** A JSON object. */
export interface JSONObject {
  [key: string]: JSONValue;
}

/** A JSON array. */
export type JSONArray = JSONValue[];

/** A value, or a promise of one: the path on which nothing waits creates no promise. */
export type Awaitable<T> = T | PromiseLike<T>;

/** True for a JSON object: neither null nor an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An object's own member, or undefined: what it inherits is not read. */
export function own(object: object, key: string): unknown {
  return Object.hasOwn(object, key) ? (object as Record<string, unknown>)[key] : undefined;
}

/** True for a list of nothing but texts. */
export function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** What acts on a terminal or a log, or hides: controls, format characters, line separators. */
const ACTING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * A name from outside as a message may show it: one line, quoted, everything that acts or hides
 * written out, and no longer than `most` characters.
 */
export function quoted(name: string, most = 64): string {
  const text = JSON.stringify(name.length > most ? `${name.slice(0, most)}…` : name);
  return text.replace(ACTING, (acting) => {
    let escaped = "";
    for (let at = 0; at < acting.length; at += 1) {
      escaped += `\\u${acting.charCodeAt(at).toString(16).padStart(4, "0")}`;
    }
    return escaped;
  });
}

/** What JSON writes as it is: tokens, names and most words. */
const PLAIN = /^[\w .:/+=-]*$/;

/** A text as JSON, which costs half where nothing in it has to be escaped. */
export function stringText(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** True for a promise or anything that can be awaited like one. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as { then?: unknown }).then === "function"
  );
}

/** Applies `next` now where nothing waits, and after the promise where something does. */
export function chain<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return isPromiseLike(value) ? value.then(next) : next(value);
}
