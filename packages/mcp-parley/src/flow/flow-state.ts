import type { InputResponse } from "../protocol/input.js";
import type { JSONValue } from "../protocol/json.js";
import type { Asked, Claims } from "../state/claims.js";
import { Journal } from "./journal.js";

/** Answers a state carries on for a round that was still running elsewhere. */
export type Carried = readonly (readonly [Asked, InputResponse])[];

/** The journal as the claims hold it, with answers carried on where there are any. */
export function packJournal(journal: Journal | JSONValue, carried?: Carried): JSONValue {
  const packed = journal instanceof Journal ? journal.toJSON() : journal;
  return carried === undefined ? [packed] : [packed, carried as unknown as JSONValue];
}

/** What the claims hold of a flow. */
export function unpackJournal(claims: Claims): {
  packed: JSONValue;
  journal: Journal;
  carried: Carried | undefined;
} {
  const [packed, carried] = claims.journal as [JSONValue, JSONValue?];
  return {
    packed,
    journal: Journal.fromJSON(packed),
    carried: carried as unknown as Carried | undefined,
  };
}
