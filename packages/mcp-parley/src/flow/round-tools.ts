import { ParleyError } from "../protocol/errors.js";
import type { Awaitable, JSONValue } from "../protocol/json.js";
import type { Claims } from "../state/claims.js";
import { digestJson, sha256 } from "../state/digest.js";
import type { Principal } from "../state/principal.js";
import { tuple } from "../state/tuple.js";
import type { BusinessKey, OnceOptions } from "./call.js";
import { perform } from "./effect.js";
import type { FlowHappening } from "./events.js";
import { packJournal } from "./flow-state.js";
import type { Journal } from "./journal.js";
import { textAtMost } from "./json-text.js";
import type { FlowParts } from "./parts.js";
import type { RoundRequest } from "./request.js";
import { sealState } from "./seal-state.js";
import type { RoundTools } from "./tools.js";

/** How long a round waits for somebody else's effect, in ms. */
const EFFECT_PATIENCE = 5_000;
/** A value larger than this many characters stays in the ledger rather than in the state. */
const VALUE_ROOM = 1024;
/** A journal smaller than this many characters fits into any state. */
const SURE_TO_FIT = 8 * 1024;

/** Who a claim's room in the store is charged to; undefined for an anonymous caller. */
export function holderOf(principal: Principal | undefined): string | undefined {
  return principal === undefined ? undefined : nameOf("holder", ...principalParts(principal));
}

/** What a round rests on. */
export interface Grounds {
  readonly flow: { readonly id: string; readonly deadline: number; readonly request: string };
  readonly journal: Journal;
  /** Ties the round to its answers, before an effect begins in it. False if it can't be any more. */
  readonly pin: () => Awaitable<boolean>;
}

/** What a round works with. `draft` gives the claims its next state would have. */
export function roundTools(
  parts: FlowParts,
  request: RoundRequest,
  { flow, journal, pin }: Grounds,
  draft: (journal: JSONValue) => Claims,
  emit: (event: FlowHappening) => void,
): RoundTools {
  const { clock } = parts;
  return {
    clock,
    emit,
    flow: flow.id,
    signal: () => request.signal(),
    progress: (...of) => request.progress(...of),
    log: (...of) => request.log(...of),
    ticket: (key) => parts.ticket(flow.id, key, request.principal),

    checkRoom() {
      const packed = packJournal(journal);
      if (textAtMost(packed) < SURE_TO_FIT) return;
      if (JSON.stringify(packed).length < SURE_TO_FIT) return;
      // Whether it fits is the codec's to say; a codec that waits says so when the round ends.
      const sealed = sealState(parts.states, draft(packed), request.principal, journal);
      if (sealed instanceof Promise) sealed.catch(() => undefined);
    },

    async perform(key, run, options) {
      if (!(await pin())) return { kind: "busy" };
      const { per } = options as OnceOptions<unknown>;
      // Where a state may be answered more than once, the effect itself is tied to the answers.
      const answers = request.settings.singleUse ? "" : (digestJson(journal.answersRead()) ?? "");
      const identity =
        per === undefined
          ? { id: nameOf("once", flow.id, key), fingerprint: answers, notAfter: flow.deadline }
          : businessIdentity(key, per, request, flow.request, clock.now());
      const result = await perform(
        parts.ledger,
        {
          key,
          ...identity,
          idempotencyKey: nameOf("idempotency key", identity.id),
          keep: identity.notAfter - clock.now(),
          holder: holderOf(request.principal),
          lease: parts.lease,
          run,
          options,
          report: (outcome) => emit({ type: "effect", key, outcome }),
        },
        EFFECT_PATIENCE,
      );
      if (result.kind === "busy") return result;
      const { value } = result;
      const inLedger = value !== undefined && JSON.stringify(value).length > VALUE_ROOM;
      return { kind: "done", value, inLedger };
    },
  };
}

function businessIdentity(
  key: string,
  per: BusinessKey,
  request: RoundRequest,
  digest: string,
  now: number,
): { id: string; fingerprint: string; notAfter: number } {
  if (typeof per.key !== "string" || per.key === "" || !(per.keepFor > 0)) {
    throw new ParleyError("usage", `'${key}': per takes a key, a scope and a keepFor in ms`);
  }
  const { principal, method, name } = request;
  if (per.scope === "principal" && principal === undefined) {
    throw new ParleyError(
      "usage",
      `'${key}': an anonymous caller has no keys of its own. Authenticate callers, or use scope "server".`,
    );
  }
  const who = principal === undefined ? [] : principalParts(principal);
  const scope = per.scope === "principal" ? who : [];
  return {
    id: nameOf("per", per.scope, method, name, key, per.key, ...scope),
    // What one principal's effect gave is never another's.
    fingerprint: nameOf("request", digest, ...who),
    notAfter: now + per.keepFor,
  };
}

function principalParts({ issuer, subject, client }: Principal): string[] {
  return client === undefined ? [issuer, subject] : [issuer, subject, client];
}

function nameOf(...parts: readonly string[]): string {
  return sha256(tuple(parts).toString("latin1"));
}
