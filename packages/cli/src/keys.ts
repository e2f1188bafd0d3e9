import { statSync } from "node:fs";
import { Command, InvalidArgumentError } from "commander";
import {
  addKey,
  createKeyFile,
  disableKey,
  editKeyFile,
  isParleyError,
  type KeyEntry,
  type KeyFile,
  newKeyFile,
  newKeyText,
  promoteKey,
  readKeyFile,
  safeToDisableFrom,
  safeToPromoteFrom,
} from "mcp-parley/keys";

interface NewOptions {
  life?: number;
  rollout?: number;
}

/**
 * `parley keys`: makes keys and takes a key file through a rotation, one safe step at a time.
 * Secrets are printed by `parley keys new` without a file, and by nothing else.
 */
export function keysCommand(now: () => number = Date.now): Command {
  const keys = new Command("keys").description("make keys, and rotate those of a key file");

  keys
    .command("new")
    .description("print a new key, or write a new key file that holds one")
    .argument("[file]", "the key file to make")
    .option("--life <time>", "longest time that anything sealed may have to be opened", span)
    .option("--rollout <time>", "time until every instance has read a change", span)
    .action(
      guarded((command, file: string | undefined, options: NewOptions) => {
        if (file === undefined) {
          say(command, newKeyText());
          return;
        }
        const { life: longestLife, rollout } = options;
        const made = newKeyFile(
          { ...(longestLife && { longestLife }), ...(rollout && { rollout }) },
          now,
        );
        createKeyFile(file, made);
        say(command, `${file}: key ${idOf(made, 0)} seals. Only you can read the file.`);
      }),
    );

  keys
    .command("add")
    .description("add a key that opens but does not seal yet")
    .argument("<file>", "the key file")
    .action(
      guarded((command, file: string) => {
        const edited = editKeyFile(file, (read) => addKey(read, now));
        const added = edited.entries.at(-1) as KeyEntry;
        say(command, `${file}: key ${added.id} opens.`);
        const when = iso(safeToPromoteFrom(edited, added));
        say(command, `From ${when} on: parley keys promote ${file} ${added.id}`);
      }),
    );

  keys
    .command("promote")
    .description("let a key seal from now on")
    .argument("<file>", "the key file")
    .argument("<id>", "the key's id, or the beginning of it")
    .option("--force", "do it although some instances may not have the key yet")
    .action(
      guarded((command, file: string, id: string, options: { force?: boolean }) => {
        const edited = editKeyFile(file, (read) => promoteKey(read, id, options, now));
        say(command, `${file}: key ${primaryOf(edited)} seals.`);
        for (const entry of edited.entries) {
          if (entry.state !== "enabled" || entry.demoted === undefined) continue;
          const when = iso(safeToDisableFrom(edited, entry) ?? 0);
          say(command, `From ${when} on: parley keys disable ${file} ${entry.id}`);
        }
      }),
    );

  keys
    .command("disable")
    .description("refuse what a key has sealed, for good: its secret is deleted")
    .argument("<file>", "the key file")
    .argument("<id>", "the key's id, or the beginning of it")
    .option("--leaked", "do it at once, although flows that are open break")
    .action(
      guarded((command, file: string, id: string, options: { leaked?: boolean }) => {
        editKeyFile(file, (read) => disableKey(read, id, options, now));
        say(command, `${file}: key ${id} is disabled and its secret deleted.`);
      }),
    );

  keys
    .command("list")
    .description("show the keys of a file, without their secrets")
    .argument("<file>", "the key file")
    .option("--json", "as JSON")
    .action(
      guarded((command, file: string, options: { json?: boolean }) => {
        const read = readKeyFile(file);
        if (options.json === true) {
          say(command, JSON.stringify(shown(read), null, 2));
          return;
        }
        for (const entry of read.entries) say(command, line(read, entry));
        if (othersCanRead(file)) {
          command
            .configureOutput()
            .writeErr?.(`Others can read ${file}. Make it yours: chmod 600 ${file}\n`);
        }
      }),
    );

  return keys;
}

/** An action whose refusals are one line on the error stream and exit code 1. */
function guarded<Given extends unknown[]>(
  run: (command: Command, ...given: Given) => void,
): (this: Command, ...given: Given) => void {
  return function (...given) {
    try {
      run(this, ...given);
    } catch (error) {
      this.error(`error: ${reason(error)}`);
    }
  };
}

function reason(error: unknown): string {
  if (isParleyError(error)) return error.message;
  if (error instanceof Error && "syscall" in error) return error.message;
  throw error;
}

function say(command: Command, text: string): void {
  command.configureOutput().writeOut?.(text + "\n");
}

const UNITS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

function span(text: string): number {
  const [, digits = "", unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const ms = Number(digits) * (UNITS[unit] ?? 0);
  if (ms === 0) throw new InvalidArgumentError("Write a time such as 90s, 10m, 2h or 3d.");
  return ms;
}

function shown({ longestLife, rollout, entries }: KeyFile): object {
  const time = (ms: number | undefined): string | undefined =>
    ms === undefined ? undefined : iso(ms);
  return {
    longestLife,
    rollout,
    keys: entries.map(({ id, state, added, demoted, disabled }) => ({
      id,
      state,
      added: time(added),
      demoted: time(demoted),
      disabled: time(disabled),
    })),
  };
}

function line(file: KeyFile, entry: KeyEntry): string {
  return [entry.id, entry.state.padEnd(8), `added ${iso(entry.added)}`, remark(file, entry)]
    .join("  ")
    .trimEnd();
}

function remark(file: KeyFile, entry: KeyEntry): string {
  if (entry.state === "primary") return "seals";
  if (entry.state === "disabled") return `disabled ${iso(entry.disabled ?? entry.added)}`;
  if (entry.demoted === undefined) return `may seal from ${iso(safeToPromoteFrom(file, entry))}`;
  return `needed until ${iso(safeToDisableFrom(file, entry) ?? 0)}`;
}

function idOf(file: KeyFile, at: number): string {
  return file.entries[at]?.id ?? "";
}

function primaryOf(file: KeyFile): string {
  return file.entries.find(({ state }) => state === "primary")?.id ?? "";
}

function othersCanRead(file: string): boolean {
  return process.platform !== "win32" && (statSync(file).mode & 0o077) !== 0;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
