/** What a ledger noticed; `row` is the hashed name of the claim. Nothing here is secret. */
export type LedgerEvent =
  /** An abandoned round is run by another claimer. */
  | { kind: "taken_over"; row: string }
  /** A holder found that it no longer holds its claim. */
  | { kind: "claim_lost"; row: string }
  /** An outcome was settled after the claim had been lost, and stands. */
  | { kind: "settled_late"; row: string }
  /** An outcome came after another one stood: its caller is given that one. */
  | { kind: "outrun"; row: string }
  /** The lease could not be renewed; it is tried again. */
  | { kind: "renewal_failed"; row: string; error: unknown }
  /** A claim failed and may yet reach the store; it could not be called off. */
  | { kind: "cleanup_failed"; row: string; error: unknown };

/** Is told what a ledger noticed. What it throws is ignored. */
export type LedgerListener = (event: LedgerEvent) => void;
