import { ParleyError } from "../../src/protocol/errors.js";
import type { MemoryStore } from "../../src/store/memory.js";
import type { Inserted, Row, Store } from "../../src/store/store.js";

/** What happens to one operation on its way. */
export type Fate =
  | "done"
  /** Never arrives; fails. */
  | "request_lost"
  /** Is carried out; fails. */
  | "reply_lost"
  /** Is carried out twice, the second answer counts. */
  | "twice"
  /** Fails now, and is carried out when {@link RemoteStore.deliver} is called. */
  | "late";

export type Operation = "insertOrGet" | "replaceIfOwner" | "deleteIfOwner";

/** A store that other processes share, over a network that can be made bad: one per process. */
export class RemoteStore implements Store {
  readonly name = "remote";
  readonly survives = "fleet";
  /** Decides what happens to each operation. */
  fate: (operation: Operation, name: string) => Fate = () => "done";
  /** Called before and after each operation's way, to interleave it with others. */
  travel: () => Promise<void> = () => Promise.resolve();
  readonly calls: Operation[] = [];
  readonly #rows: MemoryStore;
  readonly #late: (() => unknown)[] = [];

  constructor(rows: MemoryStore) {
    this.#rows = rows;
  }

  insertOrGet(name: string, row: Row, holder?: string): Promise<Inserted> {
    return this.#carry("insertOrGet", name, () => this.#rows.insertOrGet(name, row, holder));
  }

  replaceIfOwner(name: string, owner: string, row: Row): Promise<boolean> {
    return this.#carry("replaceIfOwner", name, () => this.#rows.replaceIfOwner(name, owner, row));
  }

  deleteIfOwner(name: string, owner: string): Promise<boolean> {
    return this.#carry("deleteIfOwner", name, () => this.#rows.deleteIfOwner(name, owner));
  }

  /** Carries out what was late. */
  deliver(): void {
    for (const operation of this.#late.splice(0)) operation();
  }

  async #carry<T>(operation: Operation, name: string, act: () => T): Promise<T> {
    this.calls.push(operation);
    const fate = this.fate(operation, name);
    await this.travel();
    if (fate === "late") this.#late.push(act);
    if (fate === "twice") act();
    const result = fate === "late" || fate === "request_lost" ? undefined : { value: act() };
    await this.travel();
    if (result === undefined || fate === "reply_lost") {
      throw new ParleyError("store_unavailable", "The network failed");
    }
    return result.value;
  }
}
