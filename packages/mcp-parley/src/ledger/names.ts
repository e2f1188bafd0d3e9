import { sha256 } from "../state/digest.js";

/**
 * The name of the row that stands for an id: a hash, so that the store shows no ids. Versioned,
 * and apart from every other hash.
 */
export function rowName(id: string): string {
  return sha256(`parley/ledger/1/row:${id}`);
}

/** The name of the row that holds the store's epoch. No id has it. */
export const EPOCH_NAME: string = sha256("parley/ledger/1/epoch");
