import { Command } from "commander";
import { migratePostgres } from "mcp-parley/postgres";
import { CommandError, EXIT, usage } from "./exit.js";
import { oneLine } from "./plain.js";

/**
 * `parley store`: what a store needs done to it. Only PostgreSQL has tables that somebody has to
 * make; a server never changes a schema by itself.
 */
export function storeCommand(environment: NodeJS.ProcessEnv = process.env): Command {
  const store = new Command("store").description("prepare the store of a server");
  store
    .command("migrate")
    .description("make or update the tables of a PostgreSQL store")
    .argument("[url]", "the database's address; DATABASE_URL where it is left out")
    .action(async function (this: Command, given?: string) {
      const steps = await migrate(given ?? environment["DATABASE_URL"]);
      const said =
        steps === 0 ? "The tables are up to date." : "The tables are made: the store can be used.";
      this.configureOutput().writeOut?.(`${said}\n`);
    });
  return store;
}

async function migrate(address: string | undefined): Promise<number> {
  if (address === undefined || address === "") {
    throw usage("Give the database's address: parley store migrate postgres://user@host/database");
  }
  if (!/^postgres(?:ql)?:\/\//.test(address)) {
    throw usage(
      "Only PostgreSQL has tables to make: SQLite's are made on first use, Redis has none",
    );
  }
  // Loaded for this alone: no other command needs a database.
  const { default: pg } = await import("pg");
  const pool = new pg.Pool({ connectionString: address, max: 1, connectionTimeoutMillis: 10_000 });
  try {
    return await migratePostgres(pool);
  } catch (error) {
    const why = oneLine(error instanceof Error ? error.message : String(error));
    // The address is not said again: it may hold a password.
    throw new CommandError(EXIT.failed, `The tables could not be made: ${why}`, { cause: error });
  } finally {
    await pool.end();
  }
}
