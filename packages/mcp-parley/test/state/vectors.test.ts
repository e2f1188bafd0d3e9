import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Claims } from "../../src/state/claims.js";
import type { StateCodec } from "../../src/state/codec.js";
import { canonicalJson } from "../../src/state/canonical.js";
import { createStates } from "../../src/state/create-states.js";
import { requestDigest } from "../../src/state/digest.js";
import { parseKeyText } from "../../src/state/key-text.js";
import { PrincipalTags } from "../../src/state/principal-tag.js";
import type { Principal } from "../../src/state/principal.js";
import { RingKey } from "../../src/state/ring-key.js";
import { keyRing } from "../../src/state/ring.js";
import { sealed } from "../../src/state/sealed.js";
import { signed } from "../../src/state/signed.js";
import { stored } from "../../src/state/stored.js";
import type { Expected, States } from "../../src/state/states.js";
import { createTickets } from "../../src/state/tickets.js";
import type { Inserted, Store } from "../../src/store/store.js";

/*
 * The files in vectors/ are made by a second implementation of docs/state-format.md, which shares
 * no code with this one. Other languages can be held to them as well.
 */
const folder = path.join(import.meta.dirname, "../../../../vectors");

function vectors(name: string): unknown {
  return JSON.parse(readFileSync(path.join(folder, name), "utf8"));
}

interface Kept {
  name: string;
  owner: string;
  mark: string;
  body: string;
}

interface StateCase {
  name: string;
  codec: "sealed" | "signed" | "stored";
  token: string;
  ring: string[];
  audience: string;
  principal: Principal | null;
  request: string;
  now: number;
  rows?: Kept[];
  sealsWith?: { key: string; nonce: string };
  expected: { ok: true; claims: Claims } | { ok: false; refusal: string; tell: "expired" | null };
}

interface TicketCase {
  name: string;
  ticket: string;
  ring: string[];
  audience: string;
  principal: Principal | null;
  now: number;
  expected: object;
}

/** A store that holds these rows and takes no others. */
function holding(rows: readonly Kept[]): Store {
  return {
    name: "vectors",
    survives: "process",
    insertOrGet(name): Inserted {
      const row = rows.find((kept) => kept.name === name);
      return row === undefined ? { kind: "past" } : { kind: "present", row: { ...row, age: 0 } };
    },
    replaceIfOwner: () => false,
    deleteIfOwner: () => false,
  };
}

function codecOf({ codec, rows, sealsWith }: StateCase): StateCodec {
  if (codec === "signed") return signed();
  if (codec === "stored") return stored(holding(rows ?? []));
  const nonce = Buffer.from(sealsWith?.nonce ?? "", "base64url");
  return sealed({ fill: (target, start) => target.set(nonce, start), id: () => "" });
}

function statesOf(given: StateCase): States {
  const { ring, audience, now } = given;
  return createStates({ keys: keyRing(ring), audience, codec: codecOf(given) }, () => now);
}

function expectedOf({ principal, request }: StateCase): Expected {
  return { principal: principal ?? undefined, request: () => request };
}

describe("the vectors", () => {
  const { cases } = vectors("states.json") as { cases: StateCase[] };

  it("are what their generator writes", () => {
    execFileSync(process.execPath, [path.join(folder, "generate.mjs"), "--check"]);
  });

  it("have a case for every way in which opening a state is refused", () => {
    const seen = new Set(cases.map(({ expected }) => (expected.ok ? "opened" : expected.refusal)));
    // The ledger's own two, `state_lost` and `state_spent`, depend on more than the token.
    expect([...seen].sort()).toEqual(
      [
        "opened",
        "state_malformed",
        "state_too_large",
        "state_unknown_key",
        "state_forged",
        "state_version",
        "state_audience",
        "state_principal",
        "state_request",
        "state_not_yet",
        "state_expired",
        "state_deadline",
        "state_revoked",
      ].sort(),
    );
  });

  it.each(cases)("for states: a $codec token that $name", (given) => {
    const { expected } = given;
    expect(statesOf(given).open(given.token, expectedOf(given))).toEqual(
      expected.ok ? expected : { ...expected, tell: expected.tell ?? undefined },
    );
  });

  it.each(cases.filter(({ sealsWith }) => sealsWith !== undefined))(
    "for states: sealing makes the $codec token",
    (given) => {
      if (!given.expected.ok) throw new Error("only what opens can be made");
      const { principal } = expectedOf(given);
      expect(statesOf(given).seal(given.expected.claims, principal)).toBe(given.token);
    },
  );

  it.each((vectors("tickets.json") as { cases: TicketCase[] }).cases)(
    "for tickets: one that $name",
    ({ ticket, ring, audience, principal, now, expected }) => {
      const tickets = createTickets({ keys: keyRing(ring), audience }, () => now);
      expect(tickets.open(ticket, principal ?? undefined)).toEqual(expected);
    },
  );

  it("for requests give the canonical text and the digest", () => {
    interface Request {
      method: string;
      params: unknown;
      salient?: string[];
      canonical: string;
      digest: string;
    }
    const { cases, refused } = vectors("requests.json") as Record<"cases" | "refused", Request[]>;
    for (const { method, params, salient, digest, canonical } of cases) {
      expect(requestDigest(method, params, salient)).toBe(digest);
      expect(canonicalJson(JSON.parse(canonical))).toBe(canonical);
    }
    for (const { method, params } of refused) expect(requestDigest(method, params)).toBeUndefined();
    expect(refused.length).toBe(3);
  });

  it("for principals give both tags", () => {
    const { cases } = vectors("principals.json") as {
      cases: { key: string; principal: Principal | null; state: string; ticket: string }[];
    };
    const tags = new PrincipalTags("state principal");
    const people = new PrincipalTags("ticket principal");
    for (const { key, principal, state, ticket } of cases) {
      const ringKey = new RingKey(key);
      expect(tags.tag(ringKey, principal ?? undefined)).toBe(state);
      const person = principal && { issuer: principal.issuer, subject: principal.subject };
      expect(people.tag(ringKey, person ?? undefined)).toBe(ticket);
    }
    expect(new Set(cases.map(({ state }) => state)).size).toBe(cases.length);
  });

  it("for keys give ids and sub-keys, and say what is no key", () => {
    const { keys, spellings, refused } = vectors("keys.json") as {
      keys: { key: string; id: string; custom: string }[];
      spellings: { text: string; id: string }[];
      refused: string[];
    };
    for (const { key, id, custom } of keys) {
      expect(new RingKey(key).id).toBe(id);
      expect(new RingKey(key).derive("mine").export().toString("hex")).toBe(custom);
    }
    for (const { text, id } of spellings) expect(new RingKey(text).id).toBe(id);
    for (const text of refused) expect(() => parseKeyText(text)).toThrow();
    expect([keys.length, spellings.length, refused.length]).toEqual([3, 5, 8]);
  });
});
