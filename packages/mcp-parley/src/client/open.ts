import type { ClientCapabilities } from "../protocol/capabilities.js";
import type { Implementation } from "../protocol/features.js";
import { DISCOVER, TOOLS_LIST } from "../protocol/methods.js";
import { type AnswerFunctions, type Asker, declaredBy } from "./answers.js";
import { type Access, AuthorizedSender } from "./authorization.js";
import { Canceller, clientClosed } from "./cancel.js";
import { CheckedOutputs, type MakeSchema } from "./checked-outputs.js";
import { Client } from "./client.js";
import { type Clock, systemClock } from "./clock.js";
import { factsFrom, probe } from "./discover.js";
import { CLIENT } from "./info.js";
import { KeptAnswers } from "./kept-answers.js";
import { type ClientLimits, TIMEOUT, limitsFrom, positive } from "./limits.js";
import type { Link } from "./link.js";
import { Requests } from "./requests.js";
import { ResponseCache } from "./response-cache.js";
import { ToolHeaders } from "./tool-headers.js";
import { type TurnOptions, Turns } from "./turns.js";

/** How a client is made. */
export interface ClientOptions {
  /** What answers the server's questions; also what the client tells servers it can do. */
  readonly answer?: AnswerFunctions | undefined;
  /**
   * What the client can do beyond its answer functions: the kinds of question a host answers itself
   * with `begin` and `resume`, `sampling.tools`, extensions. An extension's name has a prefix, such
   * as `com.example/things`; any other is `usage`.
   */
  readonly capabilities?: ClientCapabilities | undefined;
  /** The values of `resultType` that the extensions in `capabilities` define, such as `task`. */
  readonly resultTypes?: readonly string[] | undefined;
  /** What the client calls itself. */
  readonly info?: Implementation | undefined;
  readonly limits?: ClientLimits | undefined;
  /** One request's time, in milliseconds; default a minute. */
  readonly timeout?: number | undefined;
  /** Called after each round of each call, unless the call brings its own. */
  readonly onRound?: TurnOptions["onRound"];
  /**
   * Where results are kept that the server allows to be kept (`ttlMs`): lists, what the server said
   * of itself, and resources read in one round. Default: in a {@link ResponseCache} of this client's
   * own. Clients that are given the same one share what is public; `false` keeps nothing.
   *
   * Specification: server/utilities/caching.
   */
  readonly cache?: ResponseCache | false | undefined;
  /**
   * Holds what tools give (`structuredContent`) against the `outputSchema` they were last listed
   * with: give `jsonSchema` of `mcp-parley/json-schema`. What breaks it is `result_invalid`, and so,
   * before it is called, is a tool whose schema can't be checked by. Default: nothing is checked.
   *
   * Specification: server/tools, Output Schema.
   */
  readonly checkOutput?: MakeSchema | undefined;
  /**
   * Where the client says what its operator should know: a tool it left out of a list because the
   * headers the tool wants are not valid. Default: the console; `false` for nowhere.
   */
  readonly log?: { warn(message: string): void } | false | undefined;
  /** Aborts connecting; once connected it means nothing any more. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Asks the server what it is, which also shows that it speaks this revision, and gives the client.
 * Where that fails the link is closed. `access` is what the link's headers come from, too.
 */
export async function openClient(
  link: Link,
  options: ClientOptions = {},
  clock: Clock = systemClock,
  access?: Access,
): Promise<Client> {
  const { answer: functions = {}, info = CLIENT, timeout = TIMEOUT, onRound, signal } = options;
  const limits = limitsFrom(options.limits);
  positive("timeout", timeout);
  const capabilities = declaredBy(functions, options.capabilities);
  const closing = new Canceller();
  const close = async (): Promise<void> => {
    closing.cancel(clientClosed());
    await link.close();
  };
  const { resultTypes = [], log = console } = options;
  const tools = new ToolHeaders((message) => {
    if (log !== false) log.warn(message);
  });
  let kept: KeptAnswers | undefined;
  const onToolsStale = (): void => kept?.forget(TOOLS_LIST);
  const parts = { link, info, resultTypes, closing, clock, tools, onToolsStale };
  const requests = new Requests(parts);
  const { cache = new ResponseCache() } = options;
  if (cache !== false) {
    kept = new KeptAnswers({ sender: requests, cache, link, tools, closing, clock });
  }
  const asked = kept ?? requests;
  const { checkOutput } = options;
  const heard = checkOutput === undefined ? asked : new CheckedOutputs(asked, checkOutput);
  const sender = access === undefined ? heard : new AuthorizedSender(heard, access, link, closing);
  try {
    const asking = { method: DISCOVER, params: {}, capabilities };
    const found = await probe(sender.send(asking, limits.probeTime, { signal, refresh: true }));
    const facts = factsFrom(link.address, found);
    const server: Asker = { address: facts.address, ...(facts.info && { name: facts.info.name }) };
    const turns = new Turns(sender, server, clock);
    const playing = { turns, server, functions, limits, clock, closing };
    return new Client({ sender, kept, playing, facts, capabilities, timeout, onRound, close });
  } catch (error) {
    await close();
    throw error;
  }
}
