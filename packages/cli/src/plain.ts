/*
 * What comes from a server may only ever be read: whatever could act on a terminal, or look like
 * something it is not, is made visible before it is printed. Every text of a server's goes through
 * one of these functions on its way to the terminal.
 *
 * 1. No escape sequence, control character, bidirectional control or invisible character comes
 *    through: each is written out, as \x1b or \u202e.
 * 2. Only `manyLines` keeps line breaks and tabs; `oneLine` cannot be made to look like two.
 * 3. `jsonText` loses nothing: what it writes out is JSON's own escape.
 */

/** Controls (Cc), format characters (Cf), line and paragraph separators, half surrogate pairs. */
const ACTING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Of those, what may stay or go without a trace: emoji and text style selectors are harmless, and
 * the joiners, which some scripts need between letters, show nothing of their own.
 */
const HARMLESS = /[\ufe0e\ufe0f]/u;
const JOINERS = /[\u200c\u200d]/gu;

/** The most of one text that is printed where a whole page of it would only be in the way. */
export const ONE_LINE = 300;
export const MANY_LINES = 10_000;

/**
 * A server's text on a line of its own: line breaks and tabs become spaces. What should be text and
 * is not, for a server may say anything, is shown as JSON.
 */
export function oneLine(text: unknown, most: number = ONE_LINE): string {
  return written(clipped(text, most).replace(/[\r\n\t\u2028\u2029]+/gu, " "));
}

/** A server's text that may have several lines. */
export function manyLines(text: unknown, most: number = MANY_LINES): string {
  const unified = clipped(text, most).replace(/\r\n?/g, "\n");
  return unified
    .split(/([\n\t])/)
    .map((part) => (part === "\n" || part === "\t" ? part : written(part)))
    .join("");
}

/** A value as JSON that is as safe to print, and reads back as the same value; `indent` in spaces. */
export function jsonText(value: unknown, indent = 2): string {
  return json(value, indent).replace(ACTING, (character) =>
    character === "\n" ? character : codeUnits(character),
  );
}

function json(value: unknown, indent?: number): string {
  return value === undefined ? "null" : JSON.stringify(value, undefined, indent);
}

function written(text: string): string {
  return text.replace(JOINERS, "").replace(ACTING, (character) => {
    if (HARMLESS.test(character)) return character;
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x100) return `\\x${hex(code, 2)}`;
    return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\u{${hex(code, 5)}}`;
  });
}

function codeUnits(character: string): string {
  let escaped = "";
  for (let i = 0; i < character.length; i++) escaped += `\\u${hex(character.charCodeAt(i), 4)}`;
  return escaped;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, "0");
}

function clipped(given: unknown, most: number): string {
  const text = typeof given === "string" ? given : json(given);
  if (text.length <= most) return text;
  return `${text.slice(0, most)}… (${text.length - most} more characters)`;
}
