import { isObject } from "../protocol/json.js";
import { hearErrors } from "./hear-errors.js";
import { checkedTimeout, inTime, unavailable, type Course, type Limits } from "./in-time.js";
import { judgePostgres } from "./postgres-failures.js";
import { POSTGRES_CLOCK, postgresStatements, type Statement } from "./postgres-statements.js";
import type { Inserted, Row, Store, Stored } from "./store.js";
import { wholeMs } from "./whole-ms.js";

/** What an answer of PostgreSQL's has, as `pg` gives it. */
export interface PostgresResult {
  readonly rows: readonly unknown[];
  readonly rowCount: number | null;
}

/** A connection out of a pool, as `pg` has it. */
export interface PostgresClient {
  query(statement: { name?: string; text: string; values?: unknown[] }): Promise<PostgresResult>;
  release(destroy?: boolean): void;
}

/** A pool of connections, as `pg` has it. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
}

/** What a {@link postgresStore} is made of. */
export interface PostgresStoreOptions {
  /**
   * A pool of `pg`, best of the store's own: its sessions are set to read committed and a
   * statement time-out. It stays the caller's to end.
   */
  readonly pool: PostgresPool;
  /** How long an operation may take, waiting for a connection included, in ms. Default 2000. */
  readonly timeout?: number;
}

/** A {@link Store} in PostgreSQL. */
export interface PostgresStore extends Store {
  readonly survives: "fleet";
  /** Rejects now, rather than at the first claim, if the database can't be used or reached. */
  ready(): Promise<void>;
  insertOrGet(name: string, row: Row, holder?: string): Promise<Inserted>;
  replaceIfOwner(name: string, owner: string, row: Row): Promise<boolean>;
  deleteIfOwner(name: string, owner: string): Promise<boolean>;
}

/** Operations between two rounds of tidying up, each of which looks at twice as many rows. */
const TIDY_EVERY = 256;
/** The first comes early: there are processes that do little else than start. */
const FIRST_TIDY = 16;

/**
 * Rows in PostgreSQL 12 or later, shared by a fleet. The tables are made by {@link migratePostgres}
 * and by nothing else; without them every operation fails with `usage`.
 *
 * 1. Each operation is decided by one statement in a transaction of its own, read committed, and is
 *    answered once it is on disk, whatever `synchronous_commit` the database has.
 * 2. An insert that meets another one always returns the row that stands.
 * 3. An operation that takes longer than its time fails, and its connection is thrown away.
 * 4. What has expired is cleared on the side, as the store is used: each process walks through the
 *    rows in the order of their names, round and round.
 */
export function postgresStore(
  options: PostgresStoreOptions,
  clock: string = POSTGRES_CLOCK,
): PostgresStore {
  return new Postgres(options, clock);
}

class Postgres implements PostgresStore {
  readonly name = "postgres";
  readonly survives = "fleet";
  readonly #pool: PostgresPool;
  readonly #limits: Limits;
  readonly #statements: ReturnType<typeof postgresStatements>;
  /** Connections whose session is set as it must be. */
  readonly #set = new WeakSet<PostgresClient>();
  #untilTidy = FIRST_TIDY;
  /** Where tidying goes on; it begins at a name that was asked for, wherever others are by then. */
  #tidied: string | undefined;

  constructor(options: PostgresStoreOptions, clock: string) {
    this.#pool = options.pool;
    this.#limits = { name: this.name, timeout: checkedTimeout(options.timeout) };
    this.#statements = postgresStatements(clock);
    hearErrors(options.pool);
  }

  async ready(): Promise<void> {
    await this.#run(this.#statements.read, [""]);
  }

  async insertOrGet(name: string, row: Row): Promise<Inserted> {
    const notAfter = wholeMs(row.notAfter);
    if (notAfter > 0) {
      const given: [string, ...unknown[]] = [name, ...values(row)];
      const { rowCount, rows } = await this.#run(this.#statements.insert, given);
      // This one tells no rows: what does is an answer to something else.
      if (rowCount === 1 && rows.length === 0) return { kind: "inserted" };
      const [found] = (await this.#carryOut(this.#statements.insertOrGet, given)).rows;
      if (found !== undefined) {
        const standing = column(found, "standing");
        if (standing === null) return { kind: "inserted" };
        return { kind: "present", row: stored(standing) };
      }
    }
    const [found] = (await this.#run(this.#statements.read, [name])).rows;
    return found === undefined
      ? { kind: "past" }
      : { kind: "present", row: stored(column(found, "standing")) };
  }

  async replaceIfOwner(name: string, owner: string, row: Row): Promise<boolean> {
    const done = await this.#run(this.#statements.replace, [name, ...values(row), owner]);
    return done.rowCount === 1;
  }

  async deleteIfOwner(name: string, owner: string): Promise<boolean> {
    return (await this.#run(this.#statements.remove, [name, owner])).rowCount === 1;
  }

  /** Carries out a statement on a row, whose name is its first value. */
  #run(statement: Statement, values: [name: string, ...unknown[]]): Promise<PostgresResult> {
    this.#untilTidy -= 1;
    if (this.#untilTidy <= 0) {
      this.#untilTidy = TIDY_EVERY;
      this.#tidy(this.#tidied ?? values[0]).catch(() => undefined);
    }
    return this.#carryOut(statement, values);
  }

  #carryOut(statement: Statement, values: unknown[]): Promise<PostgresResult> {
    return inTime(
      this.#limits,
      (course) => this.#try(statement, values, course),
      judgePostgres,
      (result) => result,
    );
  }

  async #try(statement: Statement, values: unknown[], course: Course): Promise<PostgresResult> {
    const client = await this.#pool.connect();
    // The pool listens only to connections that nobody has.
    hearErrors(client);
    if (course.over) {
      client.release();
      throw unavailable(this.name, "gave a connection too late");
    }
    course.whenOverdue = () => client.release(true);
    try {
      if (!this.#set.has(client)) {
        await client.query({ text: this.#statements.session(this.#limits.timeout) });
        this.#set.add(client);
      }
      const { name, text } = statement;
      const result = await client.query({ name, text, values });
      this.#release(client, course, false);
      return result;
    } catch (failure) {
      // A connection is only kept for what the database itself said of the statement.
      const verdict = judgePostgres(failure);
      const broken = verdict === "again" || verdict.code === "store_unavailable";
      this.#release(client, course, broken);
      throw failure;
    }
  }

  /** Gives a connection back, unless that was done when the time was over. */
  #release(client: PostgresClient, course: Course, destroy: boolean): void {
    if (course.over) return;
    course.whenOverdue = undefined;
    client.release(destroy);
  }

  /** Clears what has expired among the rows from a name on. What it can't, the next round does. */
  async #tidy(from: string): Promise<void> {
    const { look, clear, empty } = this.#statements;
    const [seen] = (await this.#carryOut(look, [from, 2 * TIDY_EVERY])).rows;
    const next = column(seen, "next");
    if (typeof next === "string") this.#tidied = next;
    for (const [statement, names] of [
      [clear, column(seen, "ended")],
      [empty, column(seen, "stale")],
    ] as const) {
      if (Array.isArray(names)) await this.#carryOut(statement, [names]);
    }
  }
}

/** A row's columns but its name, in the order of the statements. */
function values(row: Row): unknown[] {
  return [row.owner, row.mark, row.body, wholeMs(row.bodyFor), wholeMs(row.notAfter)];
}

function column(found: unknown, name: string): unknown {
  return isObject(found) ? found[name] : undefined;
}

/** A row as the statements tell it. */
function stored(told: unknown): Stored {
  const [owner, mark, body, age] = typeof told === "string" ? listOf(told) : [];
  if (
    typeof owner !== "string" ||
    typeof mark !== "string" ||
    typeof body !== "string" ||
    typeof age !== "number"
  ) {
    throw unavailable("postgres", "answered with a row that no store wrote");
  }
  return { owner, mark, body, age };
}

function listOf(text: string): unknown[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}
