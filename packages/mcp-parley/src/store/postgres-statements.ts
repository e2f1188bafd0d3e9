/** A statement, prepared once per connection under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Milliseconds since 1970 by the database's own clock. */
export const POSTGRES_CLOCK =
  "(extract(epoch from pg_catalog.clock_timestamp()) * 1000)::pg_catalog.int8";

/**
 * How long expired rows are left alone before they are cleared, in ms: longer than any statement
 * runs, so that none that is under way misses a row that it has seen.
 */
const CLEARED_AFTER = 120_000;

/** The statements of a PostgreSQL store, and what its sessions must be set to. */
export function postgresStatements(clock: string): {
  session(timeout: number): string;
  insert: Statement;
  read: Statement;
  replace: Statement;
  remove: Statement;
  clearRows: Statement;
  clearBodies: Statement;
} {
  // One reading of the clock for the whole statement; and a commit that is answered only once it
  // is on disk, set for this transaction alone, where the database would be content with less.
  const now = `clock AS MATERIALIZED (
    SELECT ${clock} AS now, CASE WHEN current_setting('synchronous_commit') IN ('off', 'local', 'remote_write')
      THEN set_config('synchronous_commit', 'on', true) END AS durable)`;

  const named = (name: string, text: string): Statement => ({ name: `parley-${name}-1`, text });

  return {
    session: (timeout) =>
      `SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE;
       SET statement_timeout = ${Math.ceil(timeout)}`,

    // On conflict every column is written, as it was where the row is live: only so does the
    // statement always return the row, whoever was first. `stood` looks at what was there when
    // the statement began, which tells an insert from an earlier one by the same owner.
    insert: named(
      "insert",
      `WITH ${now}
       INSERT INTO parley_rows AS t (name, owner, mark, body, body_until, not_after, written)
       SELECT $1, $2, $3, $4, clock.now + $5::int8, $6::int8, clock.now FROM clock
       WHERE $6::int8 > clock.now
       ON CONFLICT (name) DO UPDATE SET
         owner = CASE WHEN t.not_after <= excluded.written THEN excluded.owner ELSE t.owner END,
         mark = CASE WHEN t.not_after <= excluded.written THEN excluded.mark ELSE t.mark END,
         body = CASE WHEN t.not_after <= excluded.written THEN excluded.body ELSE t.body END,
         body_until = CASE WHEN t.not_after <= excluded.written THEN excluded.body_until ELSE t.body_until END,
         written = CASE WHEN t.not_after <= excluded.written THEN excluded.written ELSE t.written END,
         not_after = CASE WHEN t.not_after <= excluded.written THEN excluded.not_after ELSE t.not_after END
       RETURNING owner, mark,
         CASE WHEN body_until > (SELECT now FROM clock) THEN body ELSE '' END AS body,
         greatest(0, (SELECT now FROM clock) - written) AS age,
         EXISTS (SELECT FROM parley_rows s WHERE s.name = $1 AND s.not_after > (SELECT now FROM clock)) AS stood`,
    ),

    read: named(
      "read",
      `WITH ${now}
       SELECT owner, mark, CASE WHEN body_until > clock.now THEN body ELSE '' END AS body,
         greatest(0, clock.now - written) AS age
       FROM parley_rows, clock WHERE name = $1 AND not_after > clock.now`,
    ),

    replace: named(
      "replace",
      `WITH ${now}
       UPDATE parley_rows AS t SET owner = $2, mark = $3, body = $4,
         body_until = clock.now + $5::int8, not_after = $6::int8, written = clock.now
       FROM clock WHERE t.name = $1 AND t.owner = $7 AND t.not_after > clock.now`,
    ),

    remove: named(
      "remove",
      `WITH ${now}
       DELETE FROM parley_rows AS t USING clock
       WHERE t.name = $1 AND t.owner = $2 AND t.not_after > clock.now`,
    ),

    clearRows: named(
      "clear-rows",
      `DELETE FROM parley_rows WHERE name IN (
         SELECT name FROM parley_rows WHERE not_after <= ${clock} - ${CLEARED_AFTER}
         LIMIT $1 FOR UPDATE SKIP LOCKED)`,
    ),

    clearBodies: named(
      "clear-bodies",
      `UPDATE parley_rows SET body = '' WHERE name IN (
         SELECT name FROM parley_rows WHERE body <> '' AND body_until <= ${clock}
         LIMIT $1 FOR UPDATE SKIP LOCKED)`,
    ),
  };
}
