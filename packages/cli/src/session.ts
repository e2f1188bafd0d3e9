import { readFileSync } from "node:fs";
import {
  type AnswerFunctions,
  type Client,
  type RoundEvent,
  isParleyError,
} from "mcp-parley/client";
import { Dialog } from "./dialog.js";
import { usage } from "./exit.js";
import { heedInterrupts } from "./interrupt.js";
import { Notes } from "./notes.js";
import { type Target, connectTo } from "./target.js";

/** This command's version. */
export const VERSION = (
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    version: string;
  }
).version;

/** The options every command that talks to a server has. */
export interface SessionOptions {
  readonly timeout?: string;
  readonly verbose?: boolean;
}

/** What a command that talks to a server works with. */
export interface Session {
  readonly notes: Notes;
  /** The person at the terminal, if there is one. */
  readonly dialog: Dialog | undefined;
  /** Aborts when the user interrupts the command. */
  readonly signal: AbortSignal;
  /** Connects, for the rest of the session. */
  connect(
    target: Target,
    answer?: AnswerFunctions,
    onRound?: (event: RoundEvent) => void,
  ): Promise<Client>;
}

/** How much of what a server wrote is kept to be shown should it fail, in characters. */
const KEPT = 4_000;

/** Runs a command; whatever it connected to is closed when it ends, however it ends. */
export async function withSession<Result>(
  { timeout, verbose = false }: SessionOptions,
  run: (session: Session) => Promise<Result>,
): Promise<Result> {
  const notes = new Notes(process.stderr);
  const interrupt = new AbortController();
  const ignore = heedInterrupts(interrupt);
  const { signal } = interrupt;
  const clients: Client[] = [];
  let written = "";
  const onServerText = (text: string): void => {
    if (verbose) notes.quoted("server: ", text.replace(/\n$/, ""));
    else written = (written + text).slice(-KEPT);
  };
  const ms = timeout === undefined ? undefined : milliseconds(timeout);
  try {
    return await run({
      notes,
      dialog: hasPerson() ? new Dialog(process.stdin, process.stderr, interrupt) : undefined,
      signal,
      async connect(target, answer, onRound) {
        notes.status("connecting …");
        const info = { name: "parley", version: VERSION };
        const limits = { probeTime: ms };
        const options = { answer, info, timeout: ms, limits, onRound, signal };
        const client = await connectTo(target, options, onServerText);
        clients.push(client);
        notes.clear();
        return client;
      },
    });
  } catch (error) {
    const isServers =
      isParleyError(error, "transport_failed") || isParleyError(error, "legacy_server");
    if (isServers && written.trim() !== "") notes.quoted("server: ", written.trim());
    throw error;
  } finally {
    notes.clear();
    await Promise.all(clients.map(async (client) => client.close()));
    ignore();
  }
}

/** Whether there is a person to ask: a terminal to read from and one to write to. */
function hasPerson(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY && process.env["TERM"] !== "dumb";
}

function milliseconds(seconds: string): number {
  const ms = Number(seconds) * 1_000;
  if (!(ms > 0)) throw usage(`--timeout takes seconds, such as 30, not "${seconds}".`);
  return ms;
}
