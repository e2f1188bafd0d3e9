/** A statement, prepared once per connection under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Milliseconds since 1970 by the database's own clock. */
export const POSTGRES_CLOCK =
  "(pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()) * 1000)::pg_catalog.int8";

/**
 * How long expired rows are left alone before they are cleared, in ms: longer than any statement
 * runs, so that none that is under way misses a row that it has seen.
 */
const CLEARED_AFTER = 120_000;

/**
 * The statements of a PostgreSQL store, and what its sessions must be set to. A row is told as one
 * text, a JSON array of its owner, mark, body and age: columns cost a client more than their bytes.
 */
export function postgresStatements(clock: string): {
  session(timeout: number): string;
  insert: Statement;
  insertOrGet: Statement;
  read: Statement;
  replace: Statement;
  remove: Statement;
  look: Statement;
  clear: Statement;
  empty: Statement;
} {
  // A commit is answered only once it is on disk: set for this transaction alone, where the
  // database would be content with less.
  const durably = `CASE WHEN current_setting('synchronous_commit') IN ('off', 'local', 'remote_write')
    THEN set_config('synchronous_commit', 'on', true) END IS DISTINCT FROM ''`;

  const standing = `json_build_array(owner, mark, CASE WHEN body_until > ${clock} THEN body ELSE '' END,
    greatest(0, ${clock} - written))::text`;

  const named = (name: string, text: string): Statement => ({ name: `parley-${name}-3`, text });

  /** A row as it is given, for as long as there is time for it. */
  const given = `(name, owner, mark, body, body_until, not_after, written)
       SELECT $1, $2, $3, $4, ${clock} + $5::int8, $6::int8, ${clock}
       WHERE $6::int8 > ${clock} AND ${durably}`;

  const anew = (column: string): string =>
    `${column} = CASE WHEN t.not_after <= excluded.written THEN excluded.${column} ELSE t.${column} END`;

  return {
    session: (timeout) =>
      `SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE;
       SET statement_timeout = ${Math.ceil(timeout)}`,

    // Most names are new, and this costs less: one row is done, none leaves all to be decided.
    insert: named("insert", `INSERT INTO parley_rows ${given} ON CONFLICT DO NOTHING`),

    // What is decided is decided by one reading of the clock, the row's own `written`. On conflict
    // every column is written, as it was where the row is live: only so does the statement always
    // return the row, whoever was first. It is told unless it is new: it has its owner, and what
    // was there when the statement began had ended before it was written.
    insertOrGet: named(
      "insert-or-get",
      `INSERT INTO parley_rows AS t ${given}
       ON CONFLICT (name) DO UPDATE SET
         ${["owner", "mark", "body", "body_until", "written", "not_after"].map(anew).join(", ")}
       RETURNING CASE WHEN owner <> $2
         OR EXISTS (SELECT FROM parley_rows s WHERE s.name = $1 AND s.not_after > t.written)
         THEN ${standing} END AS standing`,
    ),

    read: named(
      "read",
      `SELECT ${standing} AS standing FROM parley_rows WHERE name = $1 AND not_after > ${clock}`,
    ),

    replace: named(
      "replace",
      `UPDATE parley_rows AS t SET owner = $2, mark = $3, body = $4,
         body_until = ${clock} + $5::int8, not_after = $6::int8, written = ${clock}
       WHERE t.name = $1 AND t.owner = $7 AND t.not_after > ${clock} AND ${durably}`,
    ),

    remove: named(
      "remove",
      `DELETE FROM parley_rows AS t
       WHERE t.name = $1 AND t.owner = $2 AND t.not_after > ${clock} AND ${durably}`,
    ),

    // Looks at so many rows from a name on: which have ended, whose bodies have, and from where to go
    // on. An index of when rows end would cost every write more than this costs, and keep rows from
    // being rewritten in place.
    look: named(
      "look",
      `SELECT CASE WHEN count(*) = $2 THEN max(name) ELSE '' END AS next,
         array_agg(name) FILTER (WHERE ended) AS ended,
         array_agg(name) FILTER (WHERE stale AND NOT ended) AS stale
       FROM (SELECT name, not_after <= ${clock} - ${CLEARED_AFTER} AS ended,
           body <> '' AND body_until <= ${clock} AS stale
         FROM parley_rows WHERE name > $1 ORDER BY name LIMIT $2) AS seen`,
    ),

    clear: named(
      "clear",
      `DELETE FROM parley_rows WHERE name IN (
         SELECT name FROM parley_rows WHERE name = ANY ($1::text[])
           AND not_after <= ${clock} - ${CLEARED_AFTER} FOR UPDATE SKIP LOCKED)`,
    ),

    empty: named(
      "empty",
      `UPDATE parley_rows SET body = '' WHERE name IN (
         SELECT name FROM parley_rows WHERE name = ANY ($1::text[])
           AND body_until <= ${clock} FOR UPDATE SKIP LOCKED)`,
    ),
  };
}
