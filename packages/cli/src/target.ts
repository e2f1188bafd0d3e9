import { type Client, type ClientOptions, connect } from "mcp-parley/client";
import { connectStdio } from "mcp-parley/client/stdio";
import { usage } from "./exit.js";
import { oneLine } from "./plain.js";

/** A server to talk to. */
export type Target =
  | {
      readonly kind: "url";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: "command";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    };

/** What was typed of a target. */
export interface TargetWords {
  /** What follows `--`; undefined where there is no `--`. */
  readonly command: readonly string[] | undefined;
  readonly header?: readonly string[] | undefined;
  readonly env?: readonly string[] | undefined;
}

/** The words before and after `--`: what follows belongs to the server, options and all. */
export function splitCommand(argv: readonly string[]): {
  words: string[];
  command: string[] | undefined;
} {
  const at = argv.indexOf("--");
  if (at === -1) return { words: [...argv], command: undefined };
  return { words: argv.slice(0, at), command: argv.slice(at + 1) };
}

/**
 * The target, and the words that are left for the command itself: a URL is the first of them, a
 * server's command stands after `--`.
 */
export function readTarget(
  words: readonly string[],
  { command: commandWords, header = [], env = [] }: TargetWords,
): { target: Target; rest: readonly string[] } {
  const [first, ...others] = words;
  if (commandWords === undefined) {
    if (first === undefined) throw usage("Name a server: a URL, or a command after --.");
    if (!looksLikeUrl(first)) {
      throw usage(
        `"${oneLine(first)}" is no URL. Give http://… or https://…, or a server's command after --.`,
      );
    }
    if (env.length > 0) throw usage("--env is for a server that is started by its command.");
    return {
      target: { kind: "url", url: first, headers: pairs(header, ":", "--header") },
      rest: others,
    };
  }
  const [command, ...args] = commandWords;
  if (command === undefined)
    throw usage("Nothing follows --: give the command that starts the server.");
  if (first !== undefined && looksLikeUrl(first)) {
    throw usage("Give a URL or a command after --, not both.");
  }
  if (header.length > 0) throw usage("--header is for a server with a URL.");
  return { target: { kind: "command", command, args, env: pairs(env, "=", "--env") }, rest: words };
}

function looksLikeUrl(word: string): boolean {
  return /^https?:\/\//i.test(word);
}

/** `name<sign>value` words as a record; the values are left as they are, save for outer spaces. */
function pairs(words: readonly string[], sign: string, option: string): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf(sign);
      if (at < 1) throw usage(`${option} takes name${sign}value, not "${oneLine(word)}".`);
      return [word.slice(0, at).trim(), word.slice(at + 1).trim()];
    }),
  );
}

/** Connects. `onServerText` takes what a started server writes to its standard error. */
export async function connectTo(
  target: Target,
  options: ClientOptions,
  onServerText: (text: string) => void,
): Promise<Client> {
  if (target.kind === "url") {
    return connect(target.url, { ...options, headers: target.headers });
  }
  const { command, args, env } = target;
  return connectStdio({ command, args, env, stderr: onServerText }, options);
}
