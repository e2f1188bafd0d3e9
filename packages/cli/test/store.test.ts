import { describe, expect, it } from "vitest";
import { CommandError, EXIT } from "../src/exit.js";
import { storeCommand } from "../src/store-command.js";

/** Runs `parley store` with these words, which must fail. */
async function refused(
  words: string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<CommandError> {
  const failure: unknown = await storeCommand(environment)
    .parseAsync(words, { from: "user" })
    .then(
      () => undefined,
      (error: unknown) => error,
    );
  if (!(failure instanceof CommandError)) throw new Error("It should have been refused");
  return failure;
}

// That it makes the tables is shown where there is a database: mcp-parley's test/store.
describe("parley store migrate", () => {
  it("wants an address", async () => {
    expect(await refused(["migrate"])).toMatchObject({ exitCode: EXIT.usage });
    expect(await refused(["migrate", ""])).toMatchObject({ exitCode: EXIT.usage });
  });

  it("is for PostgreSQL alone", async () => {
    for (const address of ["redis://localhost", "parley.db", "sqlite:parley.db"]) {
      const { exitCode, message } = await refused(["migrate", address]);
      expect(exitCode).toBe(EXIT.usage);
      expect(message).toMatch(/Only PostgreSQL/);
    }
  });

  it("says why it could not, and keeps the password to itself", async () => {
    const address = "postgres://me:secret@127.0.0.1:1/nowhere";
    for (const failure of [
      await refused(["migrate", address]),
      await refused(["migrate"], { DATABASE_URL: address }),
    ]) {
      expect(failure.exitCode).toBe(EXIT.failed);
      expect(failure.message).toMatch(/could not be made/);
      expect(failure.message).not.toMatch(/secret/);
    }
  });
});
