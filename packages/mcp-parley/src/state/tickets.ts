import { isObject } from "../protocol/json.js";
import { decodeBase64url } from "./base64url.js";
import { PrincipalTags } from "./principal-tag.js";
import type { Principal } from "./principal.js";
import { systemRandom, type Random } from "./random.js";
import type { KeyRing } from "./ring.js";
import { openUnder, sealUnder, sealingKey, type SealUse } from "./sealer.js";
import { sameText } from "./same-text.js";

const PREFIX = "t1.";
const USE: SealUse = { purpose: "ticket", step: 64 };
const VERSION = 1;

/** Longest ticket, in characters: it has to fit into a URL. */
export const MAX_TICKET = 4096;

/** How long a ticket lives unless said otherwise, in ms: 1 hour, as long as a flow by default. */
export const TICKET_LIFE = 60 * 60_000;

/** What a ticket stands for. */
export interface TicketSubject {
  /** The flow's id. */
  readonly flow: string;
  /** The key of the question whose link this is. */
  readonly key: string;
  readonly principal: Principal | undefined;
}

/** Why a ticket was refused. */
export type TicketRefusal =
  | "ticket_malformed"
  | "ticket_unknown_key"
  | "ticket_forged"
  | "ticket_audience"
  | "ticket_principal"
  | "ticket_expired";

/** What opening a ticket came to. `until` is ms since 1970. */
export type TicketOpened =
  { ok: true; flow: string; key: string; until: number } | { ok: false; refusal: TicketRefusal };

/** Makes and opens the tickets of links. */
export interface Tickets {
  /** A ticket for the page behind a link: opaque, and safe in a URL as it stands. */
  seal(subject: TicketSubject): string;
  /**
   * Opens a ticket for whoever the page has signed in, and refuses everyone but who was asked.
   * Issuer and subject count. The client does not: a page in a browser is never the client that
   * made the call. A ticket of an anonymous flow opens for nobody who is signed in.
   * Never throws for anything in `ticket`.
   */
  open(ticket: unknown, principal: Principal | undefined): TicketOpened;
}

/** What {@link createTickets} is made of. */
export interface TicketsOptions {
  readonly keys: KeyRing;
  /** The server's name. */
  readonly audience: string;
  /** How long a ticket lives, in ms. Default 1 hour. */
  readonly life?: number;
}

/** Tickets under a ring: sealed with its primary, opened with any enabled key. */
export function createTickets(
  { keys, audience, life = TICKET_LIFE }: TicketsOptions,
  now: () => number = Date.now,
  random: Random = systemRandom,
): Tickets {
  const tags = new PrincipalTags("ticket principal");

  return {
    seal({ flow, key, principal }) {
      const { primary } = keys;
      const content = JSON.stringify({
        v: VERSION,
        aud: audience,
        // An ill-formed name has no tag, and so no caller.
        sub: tags.tag(primary, person(principal)) ?? "",
        exp: now() + life,
        flow,
        key,
      });
      return PREFIX + sealUnder(primary, USE, content, random).toString("base64url");
    },

    open(ticket, principal) {
      if (typeof ticket !== "string" || ticket.length > MAX_TICKET || !ticket.startsWith(PREFIX)) {
        return refused("ticket_malformed");
      }
      const box = decodeBase64url(ticket.slice(PREFIX.length));
      if (box === undefined) return refused("ticket_malformed");
      const ringKey = sealingKey(keys, box);
      if (ringKey === "state_malformed") return refused("ticket_malformed");
      if (ringKey === "state_unknown_key") return refused("ticket_unknown_key");
      const text = openUnder(ringKey, USE, box);
      if (text === undefined) return refused("ticket_forged");
      const content = decodeContent(text.toString());
      if (content === undefined) return refused("ticket_malformed");
      if (content.aud !== audience) return refused("ticket_audience");
      const tag = tags.tag(ringKey, person(principal));
      if (tag === undefined || !sameText(tag, content.sub)) return refused("ticket_principal");
      if (content.exp <= now()) return refused("ticket_expired");
      return { ok: true, flow: content.flow, key: content.key, until: content.exp };
    },
  };
}

/** Whoever sits in front of the page, without the client that made the call. */
function person(principal: Principal | undefined): Principal | undefined {
  return principal && { issuer: principal.issuer, subject: principal.subject };
}

interface Content {
  aud: string;
  sub: string;
  exp: number;
  flow: string;
  key: string;
}

function decodeContent(text: string): Content | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value) || value["v"] !== VERSION) return undefined;
  const { aud, sub, exp, flow, key } = value as Partial<Record<keyof Content, unknown>>;
  return typeof aud === "string" &&
    typeof sub === "string" &&
    typeof exp === "number" &&
    typeof flow === "string" &&
    typeof key === "string"
    ? { aud, sub, exp, flow, key }
    : undefined;
}

function refused(refusal: TicketRefusal): TicketOpened {
  return { ok: false, refusal };
}
