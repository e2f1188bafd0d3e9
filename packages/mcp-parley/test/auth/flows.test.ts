import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMcpServer } from "../../src/server/server.js";
import { text } from "../../src/server/results.js";
import { form } from "../../src/flow/questions/form.js";
import {
  type AuthorizationServer,
  type Tokens,
  startAuthorizationServer,
} from "../support/authorization-server.js";
import { accept } from "../support/caller.js";
import type { Wire } from "../support/hosts.js";
import { DOORS, type Door } from "../transport/doors.js";
import { type Answered, RESOURCE, ask, call, guard, open } from "./guarded.js";

let provider: AuthorizationServer;
let done: string[];

beforeAll(async () => {
  provider = await startAuthorizationServer();
});
afterAll(() => provider.close());

/** A tool that asks, and then does something with what its scopes allow. */
function server() {
  done = [];
  return createMcpServer({ name: "notes", version: "1" }, { log: false }).tool(
    "erase",
    { scopes: ["notes:write"] },
    async (_, once) => {
      await once.ask("sure", form("Erase?"));
      done.push(once.principal?.subject ?? "nobody");
      return text("Erased.");
    },
  );
}

describe.each(DOORS)("A flow through %s", (_, through) => {
  const tokens = (user: string, client: "desktop" | "web" = "desktop"): Promise<Tokens> =>
    provider.token({ user, client, scope: "notes:read notes:write", resource: RESOURCE });

  const begin = async (door: Door, token: string): Promise<Wire> => {
    const { result } = await ask(door, call("erase"), token);
    expect(result?.["resultType"]).toBe("input_required");
    return { requestState: result?.["requestState"], inputResponses: { sure: accept() } };
  };
  const goOn = (door: Door, retry: Wire, token?: string): Promise<Answered> =>
    ask(door, call("erase", retry), token);

  const refused = {
    status: 200,
    error: { code: -32602, message: "Invalid or expired requestState" },
  };

  it("goes on for who began it, and for nobody else: not another user of the same client, not the same user of another", async () => {
    const door = await open(guard({ issuer: provider.issuer }), server(), through);
    const [ada, bob, elsewhere] = await Promise.all([
      tokens("ada"),
      tokens("bob"),
      tokens("ada", "web"),
    ]);
    const retry = await begin(door, ada.access);
    expect(await goOn(door, retry, bob.access)).toMatchObject(refused);
    expect(await goOn(door, retry, elsewhere.access)).toMatchObject(refused);
    expect(await goOn(door, retry)).toMatchObject({ status: 401, error: undefined });
    expect(done).toEqual([]);
    expect(await goOn(door, retry, ada.access)).toMatchObject({ status: 200, error: undefined });
    expect(done).toEqual(["ada"]);
    await door.close();
  });

  it("goes on with a token that was refreshed meanwhile", async () => {
    const door = await open(guard({ issuer: provider.issuer }), server(), through);
    const first = await tokens("ada");
    const retry = await begin(door, first.access);
    const second = await provider.refresh(first, "desktop", "notes:write");
    expect(second.access).not.toBe(first.access);
    expect((await goOn(door, retry, second.access)).result).toMatchObject({
      content: [{ text: "Erased." }],
    });
    await door.close();
  });

  it("stops with a challenge where the new token is granted less, and goes on once it is granted enough", async () => {
    const door = await open(guard({ issuer: provider.issuer }), server(), through);
    const first = await tokens("ada");
    const retry = await begin(door, first.access);
    const less = await provider.refresh(first, "desktop", "notes:read");
    const stopped = await goOn(door, retry, less.access);
    expect(stopped).toMatchObject({ status: 403, error: { code: 1005 } });
    expect(stopped.challenge).toContain('error="insufficient_scope"');
    expect(stopped.challenge).toContain('scope="notes:write"');
    expect(done).toEqual([]);
    const enough = await tokens("ada");
    expect((await goOn(door, retry, enough.access)).result).toMatchObject({
      content: [{ text: "Erased." }],
    });
    expect(done).toEqual(["ada"]);
    await door.close();
  });
});
