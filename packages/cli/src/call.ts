import {
  type CallToolResult,
  type Client,
  type ProgressNotificationParams,
  RpcError,
  type Tool,
  type TurnOptions,
} from "mcp-parley/client";
import { Answering } from "./answering.js";
import { readAnswers } from "./answers-file.js";
import { readArguments } from "./arguments.js";
import { LEFT } from "./dialog.js";
import { EXIT, type ExitCode, usage } from "./exit.js";
import { jsonText, oneLine } from "./plain.js";
import { resultText } from "./result-text.js";
import { roundInWords } from "./rounds.js";
import { type Session, type SessionOptions, withSession } from "./session.js";
import type { Target } from "./target.js";

/** How a tool is called. */
export interface CallOptions extends SessionOptions {
  readonly answers?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
  /** False where pages are only shown. */
  readonly open?: boolean;
}

/** Calls a tool, has its questions answered, and prints its result. Gives the exit code. */
export async function call(
  target: Target,
  name: string,
  words: readonly string[],
  options: CallOptions,
): Promise<ExitCode> {
  return withSession(options, async (session) => {
    const { notes, dialog } = session;
    const waits = (): void => notes.status(`${oneLine(name, 128)} is running …`);
    const answering = new Answering({
      prepared: options.answers === undefined ? undefined : await readAnswers(options.answers),
      acceptsForms: options.yes ?? false,
      dialog,
      mayOpen: options.open ?? true,
      onAnswered: waits,
    });
    const client = await session.connect(target, answering.functions, (event) => {
      notes.clear();
      answering.heard(event);
      if (options.verbose === true) notes.line(notes.paint("dim", roundInWords(event)));
      if (Object.keys(event.questions).length === 0) waits();
    });
    const tool = await findTool(client, name, session);
    const args = readArguments(words, tool.inputSchema);
    waits();
    const result = await callUntilDone(client, { name, arguments: args }, session, options);
    notes.clear();
    return print(result, name, answering, session, options);
  });
}

async function findTool(client: Client, name: string, { signal, notes }: Session): Promise<Tool> {
  notes.status("asking what it takes …");
  const tools = await client.listTools({ signal }).all();
  notes.clear();
  const tool = tools.find((one) => one.name === name);
  if (tool !== undefined) return tool;
  const names = tools.map((one) => oneLine(one.name, 128)).join(", ");
  throw usage(
    `The server has no tool "${oneLine(name, 128)}". ${names === "" ? "It has none." : `It has: ${names}.`}`,
  );
}

/** Calls the tool, and again where the server let go of the call and the user wants to start anew. */
async function callUntilDone(
  client: Client,
  tool: { name: string; arguments: Record<string, unknown> },
  session: Session,
  { verbose = false }: CallOptions,
): Promise<CallToolResult> {
  const { notes, signal } = session;
  const options: TurnOptions = {
    signal,
    onProgress: (progress) => {
      const said = progressInWords(progress);
      notes.status(`${oneLine(tool.name, 128)}: ${said}`);
      if (verbose) notes.line(notes.paint("dim", `progress ${said}`));
    },
  };
  for (;;) {
    try {
      return await client.callTool(tool, options);
    } catch (error) {
      notes.clear();
      if (!(await startsAnew(error, session))) throw error;
    }
  }
}

async function startsAnew(error: unknown, { dialog, signal }: Session): Promise<boolean> {
  if (dialog === undefined || !(error instanceof RpcError)) return false;
  const { reason } = (error.data ?? {}) as { reason?: unknown };
  if (reason !== "expired" && reason !== "spent") return false;
  const why = reason === "expired" ? "That took too long" : "That was answered already";
  const options = [
    { value: true, label: "Start again", hint: "all questions are asked anew" },
    { value: false, label: "Leave it" },
  ];
  const answer = await dialog.choose(
    `${why}, and the server let go of the call.`,
    options,
    true,
    signal,
  );
  return answer !== LEFT && answer;
}

function progressInWords({ progress, total, message }: ProgressNotificationParams): string {
  const done = total === undefined ? `${progress}` : `${progress} of ${total}`;
  return message === undefined ? done : `${oneLine(message)} (${done})`;
}

function print(
  result: CallToolResult,
  name: string,
  answering: Answering,
  { notes }: Session,
  { json }: CallOptions,
): ExitCode {
  const failed = result.isError === true;
  if (json === true) process.stdout.write(`${jsonText(result)}\n`);
  else if (failed) notes.line(`${oneLine(name, 128)} did not succeed: ${resultText(result)}`);
  else process.stdout.write(`${resultText(result)}\n`);
  if (!failed) return EXIT.ok;
  return answering.wasNotAccepted ? EXIT.notAccepted : EXIT.failed;
}
