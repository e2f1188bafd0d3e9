/**
 * The rooms of the library, row by row. A room may import from rooms to its left in its row and
 * from every room of the rows above; nothing else. The lint, its test and docs/architecture.md all
 * stand on this one table.
 *
 * @type {readonly (readonly string[])[]}
 */
export const ROWS = [
  ["protocol"],
  ["store", "state", "ledger"],
  ["flow"],
  ["server", "client"],
  ["auth", "transport", "sdk", "testing"],
  ["entry"],
];

/** Every room, in the order in which they may know of each other. */
export const ROOMS = ROWS.flat();

/**
 * The rooms that `room` may import from, itself included.
 *
 * @param {string} room
 * @returns {string[]}
 */
export function mayImport(room) {
  return ROOMS.slice(0, ROOMS.indexOf(room) + 1);
}
