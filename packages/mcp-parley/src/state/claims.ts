import type { JSONValue } from "../protocol/json.js";

/** A question that was put and not yet answered: its key and the digest of what was asked. */
export interface Asked {
  readonly key: string;
  readonly digest: string;
}

/**
 * What a request state says, inside the protection. Times are ms since 1970.
 * Specification: basic/patterns/mrtr, server requirements 4 and 5.
 */
export interface Claims {
  /** SHA-256 digest of the method and its parameters. */
  readonly request: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** The end of the flow, however often its state is renewed. */
  readonly deadline: number;
  /** The flow's random id, the same in all its rounds. */
  readonly flow: string;
  /** This state's random single-use id. */
  readonly use: string;
  /** The round that issued this state: 1 for the first. */
  readonly round: number;
  /** The epoch of the store that will remember the use, where it has one. */
  readonly epoch: string | null;
  /** What was asked in that round. */
  readonly asked: readonly Asked[];
  /** The flow's own memory: opaque here. */
  readonly journal: JSONValue;
}

/** Why a state was refused. Precise here and in events; on the wire nearly all look alike. */
export type StateRefusal =
  | "state_malformed"
  | "state_too_large"
  | "state_unknown_key"
  | "state_forged"
  | "state_version"
  | "state_audience"
  | "state_principal"
  | "state_request"
  | "state_not_yet"
  | "state_expired"
  | "state_deadline"
  | "state_revoked"
  | "state_lost"
  | "state_spent";
