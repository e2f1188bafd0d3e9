import { type Clock, systemClock } from "../../client/clock.js";
import type { Incoming, Link, Outgoing } from "../../client/link.js";
import { ParleyError } from "../../protocol/errors.js";
import { notificationText } from "../../protocol/jsonrpc.js";
import { CANCELLED } from "../../protocol/methods.js";
import { closed } from "./closed.js";
import { readText } from "./incoming.js";
import { type ServerProcess, type StdioServer, startServer } from "./process.js";
import { LineSplitter } from "../line-splitter.js";

/** A request that waits for its response. */
interface Waiting {
  readonly request: Outgoing;
  readonly resolve: (answer: Incoming) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Messages over the standard streams of a process, one a line. The process is started for the first
 * request, and anew for the next one if it has ended meanwhile. `lineSize` is the most one message
 * may measure, in bytes.
 *
 * 1. A response finds its request by id; one that finds none came too late, and is dropped.
 * 2. Notifications share the channel: each is offered to every request under way.
 * 3. A line that is no message is passed over: servers that print to stdout are not worth a call.
 */
export function stdioLink(server: StdioServer, lineSize: number, clock: Clock = systemClock): Link {
  let running: Run | undefined;
  let isClosed = false;

  return {
    address: commandLine(server),
    mirrors: false,
    send: (request) =>
      new Promise((resolve, reject) => {
        if (isClosed) throw closed();
        request.cancellation.stopIfCancelled();
        running ??= start(server, lineSize, clock, () => (running = undefined));
        ask(running, { request, resolve, reject });
      }),
    async close() {
      isClosed = true;
      const run = running;
      running = undefined;
      if (run === undefined) return;
      fail(run, closed());
      await run.process.stop();
    },
  };
}

/** One run of the process, and the requests that wait for it. */
interface Run {
  readonly process: ServerProcess;
  readonly waiting: Map<number, Waiting>;
}

function start(server: StdioServer, lineSize: number, clock: Clock, onOver: () => void): Run {
  const waiting = new Map<number, Waiting>();
  const over = (error: ParleyError): void => {
    onOver();
    fail(run, error);
  };
  const lines = new LineSplitter(lineSize, {
    line: (line) => receive(line, waiting),
    tooLong: () => {
      over(
        new ParleyError(
          "transport_failed",
          `The server sent a message larger than ${lineSize} bytes: raise limits.responseSize if that is meant to be.`,
        ),
      );
      void run.process.stop();
    },
  });
  const process = startServer(server, (chunk) => lines.push(chunk), over, clock);
  const run: Run = { process, waiting };
  return run;
}

function ask({ process, waiting }: Run, { request, resolve, reject }: Waiting): void {
  const { id, cancellation } = request;
  const leave = cancellation.onCancel((why) => {
    waiting.delete(id);
    const reason = "The client no longer waits for it.";
    process.write(notificationText(CANCELLED, JSON.stringify({ requestId: id, reason })));
    reject(why);
  });
  const done = (): void => {
    waiting.delete(id);
    leave();
  };
  waiting.set(id, {
    request,
    resolve(answer) {
      done();
      resolve(answer);
    },
    reject(error) {
      done();
      reject(error);
    },
  });
  process.write(request.text);
}

function receive(line: Uint8Array, waiting: ReadonlyMap<number, Waiting>): void {
  const message = readText(line);
  switch (message.kind) {
    case "notification":
      for (const { request } of waiting.values()) {
        request.onNotification?.(message.method, message.params);
      }
      return;
    case "response": {
      const { id, response } = message;
      // An error without an id is for the only request there is, or for none that could be named.
      const only = id === undefined && waiting.size === 1 ? [...waiting.keys()][0] : undefined;
      const found = waiting.get((id as number | undefined) ?? only ?? NaN);
      found?.resolve({ kind: "response", response });
      return;
    }
    case "request": // never served
    case "invalid":
      return;
  }
}

function fail({ waiting }: Run, error: ParleyError): void {
  for (const { reject } of [...waiting.values()]) reject(error);
}

/** The command line as a person would write it, quoted where a word has more than plain characters. */
function commandLine({ command, args = [] }: StdioServer): string {
  return [command, ...args]
    .map((word) => (/^[\w@%+=:,./\\-]+$/.test(word) ? word : JSON.stringify(word)))
    .join(" ");
}
