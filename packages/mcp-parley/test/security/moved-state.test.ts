import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { request, textOf } from "../support/caller.js";
import { headersOf } from "../support/hosts.js";
import type { Wire } from "../support/hosts.js";
import {
  ALICE,
  BOB,
  MALLORY,
  RENT,
  REFUSED,
  bank,
  begin,
  lastRound,
  open,
  refusals,
  scene,
} from "./bank.js";
import type { Door, Scene } from "./bank.js";

/** Attacks with honest states, used where or by whom they were not made for. */
let at: Scene;
let door: Door;
const doors: Door[] = [];

async function opened(...of: Parameters<typeof bank>): Promise<Door> {
  const made = await open(bank(...of));
  doors.push(made);
  return made;
}

beforeEach(async () => {
  at = scene();
  door = await opened(at);
});
afterEach(async () => {
  await Promise.all(doors.splice(0).map((each) => each.close()));
});

const args = (params: Wire): Wire => params["arguments"] as Wire;

/** The round is good as it stands, and refused once it is changed. */
async function refusedAs(params: Wire, why: string, principal = MALLORY): Promise<void> {
  const { error } = await door.call(params, principal);
  expect(error).toEqual(REFUSED);
  expect(refusals(at).at(-1)).toBe(why);
  expect(at.moved).toEqual([]);
}

describe("an approval of one thing, used for another", () => {
  it("of one tool on another tool with the same arguments is refused", async () => {
    const last = await lastRound(door, RENT, MALLORY);
    await refusedAs({ ...last, name: "refund" }, "state_request");
  });

  it("of a tool on a prompt or a resource of the same name, and back, is refused", async () => {
    const { name: _, arguments: __, ...carried } = await lastRound(door, RENT, MALLORY);
    const letter = { name: "transfer", arguments: { to: "landlord" } };
    const prompt = await door.send(request("prompts/get", { ...letter, ...carried }), MALLORY);
    expect(prompt.error).toEqual(REFUSED);
    const uri = "statement://1";
    const read = await door.send(request("resources/read", { uri, ...carried }), MALLORY);
    expect(read.error).toEqual(REFUSED);

    const asked = await door.send(request("prompts/get", letter), MALLORY);
    const requestState = asked.result?.["requestState"];
    expect(requestState).toBeTypeOf("string");
    await refusedAs({ ...RENT, ...carried, requestState }, "state_request");
  });

  it.each<[string, Wire]>([
    ["another account", { to: "mallory", amount: 100 }],
    ["another amount", { to: "landlord", amount: 1e6 }],
    ["an amount that is a text", { to: "landlord", amount: "100" }],
    ["an amount a double can just tell apart", { to: "landlord", amount: 100.00000000000001 }],
    ["a member more", { to: "landlord", amount: 100, note: "" }],
    ["a member of the prototype's", JSON.parse('{"to":"landlord","amount":100,"__proto__":{}}')],
    ["an account that looks the same", { to: "landl\u043erd", amount: 100 }],
    ["an account with an invisible letter", { to: "land\u200blord", amount: 100 }],
    ["an account of other case", { to: "Landlord", amount: 100 }],
    ["an account with space after it", { to: "landlord ", amount: 100 }],
  ])("with %s is refused", async (_, changed) => {
    const last = await lastRound(door, RENT, MALLORY);
    const { error } = await door.call({ ...last, arguments: changed }, MALLORY);
    // What breaks the tool's schema does not get as far as the state.
    if (error !== undefined) expect(error).toEqual(REFUSED);
    expect(at.moved).toEqual([]);
  });

  it("with an account composed of other code points is refused", async () => {
    const last = await lastRound(
      door,
      { ...RENT, arguments: { to: "caf\u00e9", amount: 1 } },
      MALLORY,
    );
    await refusedAs({ ...last, arguments: { to: "cafe\u0301", amount: 1 } }, "state_request");
  });

  it("with the same arguments in another order and spelling is the same request, and goes on", async () => {
    const last = await lastRound(door, RENT, MALLORY);
    const message = request("tools/call", { ...last, arguments: {} });
    const body = JSON.stringify(message).replace(
      '"arguments":{}',
      '"arguments":{ "amount" : 1.00e2, "to" : "\\u006candlord" }',
    );
    const { text } = await door.knock(body, headersOf(message, MALLORY));
    expect(JSON.parse(text)).toMatchObject({
      result: { content: [{ text: /Sent 100/ as never }] },
    });
    expect(at.moved).toEqual(["transfer 100 to landlord"]);
  });

  it("with one argument given twice is refused before anyone can read it in two ways", async () => {
    const last = await lastRound(door, RENT, MALLORY);
    const message = request("tools/call", last);
    const honest = JSON.stringify(message);
    const twice = [
      honest.replace('"to":"landlord"', '"to":"landlord","to":"mallory"'),
      honest.replace('"to":"landlord"', '"to":"mallory","t\\u006f":"landlord"'),
      honest.replace('"name":"transfer"', '"name":"transfer","name":"refund"'),
      honest.replace('"requestState":', '"requestState":"p1.AAAA","requestState":'),
    ];
    for (const body of twice) {
      expect(body).not.toBe(honest);
      const { text } = await door.knock(body, headersOf(message, MALLORY));
      expect(JSON.parse(text)).toMatchObject({ error: { code: -32600 } });
    }
    expect(at.moved).toEqual([]);
  });

  it("where a tool names its salient arguments, those are bound and only the rest may change", async () => {
    const noted = { name: "noted", arguments: { ...args(RENT), note: "May" } };
    const round = await begin(door, noted, MALLORY);
    for (const change of [{ to: "mallory" }, { amount: 101 }]) {
      await refusedAs({ ...round, arguments: { ...args(noted), ...change } }, "state_request");
    }
    const other = { ...round, arguments: { ...args(noted), note: "June" } };
    expect((await door.call(other, MALLORY)).result).toHaveProperty("content");
    expect(at.moved).toEqual(["100 to landlord"]);
  });

  it("on another server that shares the bank's keys and store is refused", async () => {
    const last = await lastRound(door, RENT, MALLORY);
    const casino = await opened(at, {}, "casino");
    expect((await casino.call(last, MALLORY)).error).toEqual(REFUSED);
    expect(refusals(at)).toEqual(["state_audience"]);
    expect(at.moved).toEqual([]);
  });

  it("as the ticket of a link, or a ticket as the state of a call, is refused", async () => {
    const server = bank(at);
    const connect = { name: "connect", arguments: {} };
    const { requestState } = await begin(door, connect, MALLORY);
    expect(server.openTicket(requestState, MALLORY)).toEqual({
      ok: false,
      refusal: "ticket_malformed",
    });
    const [ticket = ""] = at.tickets;
    expect(server.openTicket(ticket, MALLORY)).toMatchObject({ ok: true });
    await refusedAs({ ...connect, requestState: ticket }, "state_malformed");
    await refusedAs({ ...connect, requestState: ticket.replace("t1.", "p1.") }, "state_forged");
    server.close();
  });
});

describe("somebody else's state", () => {
  it("is refused in anybody's hands, and still its owner's", async () => {
    const last = await lastRound(door, RENT, ALICE);
    for (const thief of [MALLORY, BOB, { ...ALICE, issuer: "https://evil.example" }]) {
      await refusedAs(last, "state_principal", thief);
    }
    expect((await door.call(last, ALICE)).result).toHaveProperty("content");
    expect(at.moved).toEqual(["transfer 100 to landlord"]);
  });

  it("is refused to the other user of the same OAuth client", async () => {
    expect(BOB.client).toBe(ALICE.client);
    await refusedAs(await lastRound(door, RENT, ALICE), "state_principal", BOB);
  });

  it("is refused to the same user of another client, and of no client", async () => {
    const last = await lastRound(door, RENT, ALICE);
    const { issuer, subject } = ALICE;
    await refusedAs(last, "state_principal", { ...ALICE, client: "app2" });
    await refusedAs(last, "state_principal", { issuer, subject });
    await refusedAs(last, "state_principal", { ...ALICE, client: "" });
  });

  it("is refused to names that run together to the same text", async () => {
    const one = { issuer: "https://id.example", subject: "alice" };
    const last = await lastRound(door, RENT, one);
    for (const other of [
      { issuer: "https://id.examplea", subject: "lice" },
      { issuer: "https://id.example", subject: "alic", client: "e" },
      { issuer: "https://id.example", subject: "alice\u0000" },
    ]) {
      await refusedAs(last, "state_principal", other);
    }
  });

  it("is refused to a caller who signed in half way, or signed out", async () => {
    const anonymous = await door.call(RENT);
    const state = { requestState: anonymous.result?.["requestState"] };
    await refusedAs({ ...RENT, ...state }, "state_principal", MALLORY);
    const last = await lastRound(door, RENT, MALLORY);
    expect((await door.call(last)).error).toEqual(REFUSED);
    // Back again as who it was made for, it goes on.
    expect((await door.call(last, MALLORY)).result).toHaveProperty("content");
  });

  it("whose effect is known by a business key gives nobody else its result", async () => {
    const pay = (scope: string): Wire => ({
      name: `pay_per_${scope}`,
      arguments: { invoice: "2026-7" },
    });
    for (const scope of ["server", "principal"]) {
      const alices = await door.call(await begin(door, pay(scope), ALICE), ALICE);
      expect(textOf(alices)).toBe("receipt of alice");
      const mallorys = await door.call(await begin(door, pay(scope), MALLORY), MALLORY);
      expect(JSON.stringify(mallorys)).not.toContain("alice");
      expect(mallorys.result?.["isError"] === true).toBe(scope === "server");
      const again = await door.call(await begin(door, pay(scope), ALICE), ALICE);
      expect(textOf(again)).toBe("receipt of alice");
    }
    expect(at.moved).toHaveLength(3);
  });

  it("is not opened by claiming its owner's name in the request", async () => {
    const last = await lastRound(door, RENT, ALICE);
    const claimed = { ...last, principal: ALICE, _meta: { principal: ALICE, sub: "alice" } };
    await refusedAs(claimed, "state_principal");
  });
});

describe("callers whose names an author forgot to read", () => {
  it.each<[string, object]>([
    ["no subject", { issuer: "i", subject: undefined }],
    ["an empty subject", { issuer: "i", subject: "" }],
    ["a subject that is a number", { issuer: "i", subject: 7 }],
    ["no issuer", { subject: "alice" }],
    ["nothing", {}],
  ])("with %s are not all one caller: none of them is served", async (_, who) => {
    const careless = await open(bank(at), { authenticate: () => who as never });
    doors.push(careless);
    const { error } = await careless.call(RENT);
    expect(error).toEqual({ code: -32603, message: "Internal error" });
    expect(at.events).toEqual([]);
  });
});
