import { ParleyError } from "../protocol/errors.js";
import { chain, type Awaitable } from "../protocol/json.js";
import type { Inserted, Row, Store } from "../store/store.js";
import { decodeBase64url } from "./base64url.js";
import type { CodecRefusal, SealContext, StateCodec, Unsealed } from "./codec.js";
import { sha256 } from "./digest.js";
import { ID_BYTES, systemRandom, type Random } from "./random.js";
import type { RingKey } from "./ring-key.js";
import type { KeyRing } from "./ring.js";
import { openUnder, SEAL_OVERHEAD, sealUnder, sealingKey, type SealUse } from "./sealer.js";

/** Begins every token of this codec. */
const PREFIX = "h1.";
const HANDLE: SealUse = { purpose: "state handle" };

/** Largest payload kept, in bytes, unless said otherwise: 1 MiB. */
export const MAX_STORED_PAYLOAD = 1024 * 1024;

/** Bounds of {@link stored}. */
export interface StoredOptions {
  /** Largest payload kept, in bytes. Default 1 MiB. */
  readonly maxPayload?: number;
}

/** A codec that keeps states in a store, and can take a flow back. */
export interface StoredCodec extends StateCodec {
  /**
   * Ends a flow: from now on none of its states opens, on any instance, whoever holds them; nor
   * does a state that a round still running issues. True if the flow is revoked now, false if
   * there was none to revoke. Fails with `store_unavailable`.
   */
  revoke(flow: string): Awaitable<boolean>;
}

/**
 * A codec for states that are large, or that must be revocable: the client carries a random handle,
 * and the payload lies in a store, sealed. Token: `h1.`, base64url of the handle sealed under the
 * ring, so that a made-up handle costs the store nothing.
 *
 * 1. Row names are hashes and bodies are sealed: a dump of the store shows nothing, and a body
 *    moved to another row does not open.
 * 2. A flow has a row of its own, which says whether it is live until the flow's deadline.
 * 3. Every row ends by itself: a state's with its expiry, a flow's with its deadline.
 *
 * Failures of the store are thrown as they come: `store_unavailable`, `store_full`. A payload past
 * `maxPayload` is `state_too_large`.
 */
export function stored(
  store: Store,
  options: StoredOptions = {},
  random: Random = systemRandom,
): StoredCodec {
  const maxPayload = options.maxPayload ?? MAX_STORED_PAYLOAD;

  /** A row that ended in 1970 is never inserted: this only reads. */
  function look(name: string): Awaitable<Inserted> {
    return store.insertOrGet(name, bare("", "", 0));
  }

  function openRow(
    handle: Buffer,
    key: RingKey,
    found: Inserted,
    keys: KeyRing,
  ): Awaitable<Unsealed | CodecRefusal> {
    if (found.kind !== "present") return "state_expired";
    const { mark: flowRow, body } = found.row;
    const box = decodeBase64url(body);
    if (box === undefined || sealingKey(keys, box) !== key) return "state_forged";
    const payload = openUnder(key, bodyUse(handle, flowRow), box);
    if (payload === undefined) return "state_forged";
    return chain(look(flowRow), (flow) =>
      flow.kind === "present" && flow.row.owner !== REVOKED
        ? { payload: payload.toString(), key }
        : "state_revoked",
    );
  }

  return {
    name: "stored",

    seal(payload: string, context: SealContext): Awaitable<string> {
      const { key, flow, issuedAt, expiresAt, deadline, holder } = context;
      const size = Buffer.byteLength(payload);
      if (size > maxPayload) {
        throw new ParleyError(
          "state_too_large",
          `The state of this flow is ${size} bytes and the store takes ${maxPayload}. ` +
            "Keep a handle to a large value instead of the value, or raise `maxPayload`.",
        );
      }
      const handle = Buffer.alloc(ID_BYTES);
      random.fill(handle, 0, ID_BYTES);
      const flowRow = flowRowName(flow);
      const stateRow: Row = {
        owner: random.id(),
        mark: flowRow,
        body: sealUnder(key, bodyUse(handle, flowRow), payload, random).toString("base64url"),
        bodyFor: expiresAt - issuedAt,
        notAfter: expiresAt,
      };
      // What stands already, live or revoked, stays.
      const live = bare(flowOwner(flow), String(deadline), deadline);
      return chain(store.insertOrGet(flowRow, live, holder), () =>
        chain(
          store.insertOrGet(stateRowName(handle), stateRow, holder),
          () => PREFIX + sealUnder(key, HANDLE, handle, random).toString("base64url"),
        ),
      );
    },

    open(token: string, keys: KeyRing): Awaitable<Unsealed | CodecRefusal> {
      if (!token.startsWith(PREFIX)) return "state_malformed";
      const box = decodeBase64url(token.slice(PREFIX.length));
      if (box?.length !== SEAL_OVERHEAD + ID_BYTES) return "state_malformed";
      const key = sealingKey(keys, box);
      if (typeof key === "string") return key;
      const handle = openUnder(key, HANDLE, box);
      if (handle === undefined) return "state_forged";
      return chain(look(stateRowName(handle)), (found) => openRow(handle, key, found, keys));
    },

    async revoke(flow: string): Promise<boolean> {
      const name = flowRowName(flow);
      const found = await look(name);
      if (found.kind !== "present") return false;
      const { mark } = found.row;
      await store.replaceIfOwner(name, flowOwner(flow), bare(REVOKED, mark, Number(mark)));
      // Asked again, since a replacement whose connection was cut says false though it was done.
      const after = await look(name);
      return after.kind === "present" && after.row.owner === REVOKED;
    },
  };
}

/** Owner of a revoked flow's row. A live one's is a hash. */
const REVOKED = "revoked";

function bare(owner: string, mark: string, notAfter: number): Row {
  return { owner, mark, body: "", bodyFor: 0, notAfter };
}

function stateRowName(handle: Buffer): string {
  return sha256(`parley stored state ${handle.toString("base64url")}`);
}

function flowRowName(flow: string): string {
  return sha256(`parley stored flow ${flow}`);
}

function flowOwner(flow: string): string {
  return sha256(`parley stored flow owner ${flow}`);
}

function bodyUse(handle: Buffer, flowRow: string): SealUse {
  return { purpose: "stored state", bind: [handle.toString("base64url"), flowRow] };
}
