import { beforeEach, describe, expect, it } from "vitest";
import fc from "fast-check";
import type { Principal } from "../../src/state/principal.js";
import { keyRing } from "../../src/state/ring.js";
import { Sealer } from "../../src/state/sealer.js";
import { createTickets, MAX_TICKET, TICKET_LIFE, type Tickets } from "../../src/state/tickets.js";
import { ALICE, BOB, testClock, testKey } from "./fixtures.js";

describe("the ticket of a link", () => {
  let clock: ReturnType<typeof testClock>;
  let tickets: Tickets;
  const subject = { flow: "flow", key: "sign in", principal: ALICE };

  beforeEach(() => {
    clock = testClock();
    tickets = createTickets({ keys: keyRing([testKey(1)]), audience: "server" }, clock.now);
  });

  const code = (ticket: unknown, ...who: [Principal?] | [undefined]): string => {
    const opened = tickets.open(ticket, who.length === 0 ? ALICE : who[0]);
    return opened.ok ? "opened" : opened.refusal;
  };

  it("opens for who was asked", () => {
    const ticket = tickets.seal(subject);
    expect(tickets.open(ticket, ALICE)).toEqual({
      ok: true,
      flow: "flow",
      key: "sign in",
      until: clock.now() + TICKET_LIFE,
    });
    expect(encodeURIComponent(ticket)).toBe(ticket);
  });

  it("opens for nobody else", () => {
    const ticket = tickets.seal(subject);
    expect(code(ticket, BOB)).toBe("ticket_principal");
    expect(code(ticket, undefined)).toBe("ticket_principal");
    expect(code(ticket, { ...ALICE, issuer: "https://other.example" })).toBe("ticket_principal");
    expect(code(ticket, { issuer: ALICE.issuer, subject: "\ud800" })).toBe("ticket_principal");
  });

  it("opens in a browser, which is never the client that made the call", () => {
    const ticket = tickets.seal(subject);
    expect(code(ticket, { issuer: ALICE.issuer, subject: ALICE.subject })).toBe("opened");
    expect(code(ticket, { ...ALICE, client: "the page's own" })).toBe("opened");
  });

  it("of an anonymous flow opens for nobody who is signed in", () => {
    const ticket = tickets.seal({ ...subject, principal: undefined });
    expect(code(ticket, undefined)).toBe("opened");
    expect(code(ticket, ALICE)).toBe("ticket_principal");
  });

  it("of a caller with an ill-formed name opens for nobody at all", () => {
    const lone = { issuer: ALICE.issuer, subject: "\ud800" };
    const ticket = tickets.seal({ ...subject, principal: lone });
    for (const who of [lone, ALICE, undefined]) expect(code(ticket, who)).toBe("ticket_principal");
  });

  it("ends", () => {
    const ticket = tickets.seal(subject);
    clock.pass(TICKET_LIFE - 1);
    expect(code(ticket)).toBe("opened");
    clock.pass(1);
    expect(code(ticket)).toBe("ticket_expired");
    expect(code(ticket, BOB)).toBe("ticket_principal");
    const brief = createTickets(
      { keys: keyRing([testKey(1)]), audience: "server", life: 5 },
      clock.now,
    );
    const soon = brief.seal(subject);
    clock.pass(5);
    expect(code(soon)).toBe("ticket_expired");
  });

  it("belongs to one server and one ring", () => {
    const ticket = tickets.seal(subject);
    const at = (audience: string, ...seeds: number[]) =>
      createTickets({ keys: keyRing(seeds.map(testKey)), audience }, clock.now).open(ticket, ALICE);
    expect(at("other", 1)).toEqual({ ok: false, refusal: "ticket_audience" });
    expect(at("server", 2)).toEqual({ ok: false, refusal: "ticket_unknown_key" });
    expect(at("server", 2, 1)).toMatchObject({ ok: true });
  });

  it("shows nothing, not even how long the question's key is", () => {
    const lengths = new Set(
      ["a", "sign in"].map((key) => tickets.seal({ ...subject, key }).length),
    );
    expect(lengths.size).toBe(1);
    const text = Buffer.from(tickets.seal(subject).slice(3), "base64url").toString("latin1");
    for (const word of ["alice", "flow", "sign in", "server"]) expect(text).not.toContain(word);
  });

  it.each([
    ["nothing", undefined],
    ["a number", 1],
    ["an empty text", ""],
    ["the prefix", "t1."],
    ["a state's prefix", "p1." + Buffer.alloc(80).toString("base64url")],
    ["too few bytes", "t1." + Buffer.alloc(47).toString("base64url")],
    ["what is not base64url", "t1.<script>"],
    ["more than fits a URL", "t1." + "A".repeat(MAX_TICKET)],
  ])("is not %s", (_, ticket) => {
    expect(code(ticket)).toBe("ticket_malformed");
  });

  it("does not open with any character changed", () => {
    const ticket = tickets.seal(subject);
    for (let i = 0; i < ticket.length; i += 1) {
      const changed = ticket.slice(0, i) + (ticket[i] === "A" ? "B" : "A") + ticket.slice(i + 1);
      expect(code(changed)).toMatch(/^ticket_(malformed|unknown_key|forged)$/);
    }
    fc.assert(
      fc.property(fc.anything(), (made) => {
        expect(code(made)).toBe("ticket_malformed");
      }),
    );
  });

  it("is no state and no other sealed thing", () => {
    const sealer = new Sealer(keyRing([testKey(1)]));
    const foreign = "t1." + sealer.seal("state", "{}").toString("base64url");
    expect(code(foreign)).toBe("ticket_forged");
  });

  it.each([
    "not JSON",
    "[]",
    "null",
    '{"v":2,"aud":"server","sub":"","exp":1,"flow":"","key":""}',
    '{"v":1,"sub":"","exp":1,"flow":"","key":""}',
    '{"v":1,"aud":"server","exp":1,"flow":"","key":""}',
    '{"v":1,"aud":"server","sub":"","exp":"1","flow":"","key":""}',
    '{"v":1,"aud":"server","sub":"","exp":1,"flow":1,"key":""}',
    '{"v":1,"aud":"server","sub":"","exp":1,"flow":""}',
  ])("is refused when what is sealed in it is %s", (content) => {
    const sealer = new Sealer(keyRing([testKey(1)]));
    const ticket = "t1." + sealer.seal("ticket", content).toString("base64url");
    expect(code(ticket)).toBe("ticket_malformed");
  });
});
