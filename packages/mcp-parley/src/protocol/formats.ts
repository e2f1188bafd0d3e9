/** The formats a text field of a form can have. Specification: client/elicitation, Requested Schema. */
export type TextFormat = "email" | "uri" | "date" | "date-time";

const CHECKS: ReadonlyMap<unknown, (text: string) => boolean> = new Map([
  ["email", isEmail],
  ["uri", isUri],
  ["date", isDate],
  ["date-time", isDateTime],
]);

/** True for one of the four formats. */
export function isTextFormat(format: unknown): format is TextFormat {
  return CHECKS.has(format);
}

/** True for text in that format. Takes time in proportion to the text's length. */
export function hasFormat(format: TextFormat, text: string): boolean {
  return CHECKS.get(format)?.(text) ?? false;
}

const LOCAL_PART = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const DOMAIN =
  /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*$/;

/** An address as people have them: RFC 5321, without quoted local parts and address literals. */
function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  if (text.length > 254 || at < 1 || at > 64) return false;
  return LOCAL_PART.test(text.slice(0, at)) && DOMAIN.test(text.slice(at + 1));
}

const URI = /^[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~:/?#[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*$/;

/** An absolute URI: the characters of RFC 3986, in an order that the URL standard can read. */
function isUri(text: string): boolean {
  return URI.test(text) && URL.canParse(text);
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

/** A day of the calendar, as RFC 3339 writes it. */
function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text) ?? [];
  if (year === undefined) return false;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** A day and a time with its offset, as RFC 3339 writes them. Leap seconds are refused. */
function isDateTime(text: string): boolean {
  return isDate(text.slice(0, 10)) && /^[Tt]$/.test(text.charAt(10)) && TIME.test(text.slice(11));
}
