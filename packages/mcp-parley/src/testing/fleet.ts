import { newKeyText } from "../state/key-text.js";
import type { Principal } from "../state/principal.js";
import { memoryStore } from "../store/memory.js";
import type { Store } from "../store/store.js";
import { INSTRUMENTS } from "../flow/instruments.js";
import type { McpServer, ServerOptions } from "../server/server.js";
import type { Reply } from "../server/context.js";
import type { Condition } from "./conditions.js";
import type { Findings } from "./findings.js";
import { Stopper, StoppingStore } from "./stopping-store.js";
import type { MovedTime } from "./time.js";

/** Makes one instance: hands the options on to `createMcpServer`. */
export type MakeServer = (options: ServerOptions) => McpServer;

interface Instance {
  readonly server: McpServer;
  readonly stopping: Promise<void>;
}

/** Longer than a lease, so that who stopped counts as gone; shorter than results are kept. */
const LEASE_OVER = 45_000;

/** Instances of one server that share keys and a store, and a clock that can be moved. */
export class Fleet {
  readonly #make: MakeServer;
  readonly #condition: Condition;
  readonly #findings: Findings;
  readonly #time: MovedTime;
  readonly #principal: Principal | undefined;
  readonly #keys = newKeyText();
  readonly #store: Store;
  readonly #stopper: Stopper;
  readonly #instances: Instance[] = [];

  constructor(
    make: MakeServer,
    condition: Condition,
    findings: Findings,
    time: MovedTime,
    principal: Principal | undefined,
  ) {
    this.#make = make;
    this.#condition = condition;
    this.#findings = findings;
    this.#time = time;
    this.#principal = principal;
    this.#store = memoryStore({}, () => time.now());
    this.#stopper = new Stopper(condition.stopAt);
  }

  /** Serves one request. A worker that stops is replaced, once it counts as gone. */
  async serve(message: unknown, notify: (text: string) => void): Promise<string> {
    for (;;) {
      const { server, stopping } = this.#instance();
      const { signal } = new AbortController();
      const context = { principal: this.#principal, signal, notify };
      const reply = Promise.resolve(server.dispatch(message, context));
      const served = await Promise.race([reply, stopping.then(() => "stopped" as const)]);
      if (served !== "stopped") return textOf(served);
      this.#instances.length = 0;
      this.#time.advance(LEASE_OVER);
    }
  }

  close(): void {
    for (const { server } of this.#instances) server.close();
  }

  #instance(): Instance {
    const [first] = this.#instances;
    if (this.#condition.oneInstance === true && first !== undefined) return first;
    const store = new StoppingStore(this.#store, this.#stopper);
    const server = this.#make({
      keys: this.#keys,
      store,
      log: false,
      onEvent: this.#findings.listen,
      [INSTRUMENTS]: { clock: this.#time },
    });
    const instance = { server, stopping: store.stopping };
    this.#instances.push(instance);
    return instance;
  }
}

function textOf(reply: Reply | undefined): string {
  if (reply === undefined) throw new Error("A request was not answered");
  return reply.text;
}
