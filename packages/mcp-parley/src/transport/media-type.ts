/** In which forms a client takes its answer: one JSON object, a stream of events, or neither. */
export interface Accepted {
  readonly json: boolean;
  readonly stream: boolean;
}

const BOTH: Accepted = { json: true, stream: true };

/** What clients of this revision send; compared whole before anything is taken apart. */
const USUAL_ACCEPT = "application/json, text/event-stream";

/**
 * Reads an `Accept` header. A client must list both types (basic/transports/streamable-http,
 * Sending Messages); one that lists only one, or none, is served in the form it takes. Without the
 * header everything is accepted, as RFC 9110 section 12.5.1 has it.
 */
export function acceptedBy(accept: string | undefined): Accepted {
  if (accept === undefined || accept === USUAL_ACCEPT) return BOTH;
  const ranges = accept.split(",").map(readRange);
  return {
    json: takes(ranges, "application/json", "application/*"),
    stream: takes(ranges, "text/event-stream", "text/*"),
  };
}

interface MediaRange {
  readonly type: string;
  readonly refused: boolean;
}

function readRange(text: string): MediaRange {
  const [type = "", ...parameters] = text.split(";");
  return {
    type: type.trim().toLowerCase(),
    refused: parameters.some((parameter) => /^\s*q\s*=\s*0(\.0{0,3})?\s*$/i.test(parameter)),
  };
}

/** The most specific range that names the type decides, whatever the order. */
function takes(ranges: readonly MediaRange[], type: string, family: string): boolean {
  for (const name of [type, family, "*/*"]) {
    const range = ranges.find((candidate) => candidate.type === name);
    if (range !== undefined) return !range.refused;
  }
  return false;
}

/**
 * True for `application/json`, in UTF-8 where a charset is named: JSON on the wire has no other
 * (RFC 8259 section 8.1).
 */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === "application/json") return true;
  if (contentType === undefined) return false;
  const [type = "", ...parameters] = contentType.split(";");
  if (type.trim().toLowerCase() !== "application/json") return false;
  return parameters.every((parameter) => {
    const [name = "", value = ""] = parameter.split("=");
    return name.trim().toLowerCase() !== "charset" || /^\s*"?utf-?8"?\s*$/i.test(value);
  });
}
