import type { Principal } from "mcp-parley";

/** Whose calendar is connected. A real one would keep the tokens it got, in a database. */
export class Calendars {
  readonly #connected = new Set<string>();

  connect(person: Principal): void {
    this.#connected.add(keyOf(person));
  }

  isConnected(person: Principal): boolean {
    return this.#connected.has(keyOf(person));
  }

  today(person: Principal): string {
    if (!this.isConnected(person)) throw new Error("This calendar is not connected");
    return `${person.subject}: lunch at noon`;
  }
}

/** The person, through whichever client they come: a browser is never the client that called. */
function keyOf({ issuer, subject }: Principal): string {
  return JSON.stringify([issuer, subject]);
}
