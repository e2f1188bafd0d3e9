import { afterEach, describe, expect, it } from "vitest";
import type { AuthInfo } from "@modelcontextprotocol/server";
import { accept, answer, request } from "../support/caller.js";
import type { Wire } from "../support/hosts.js";
import { sdkHost } from "../support/sdk-host.js";
import type { SdkHost } from "../support/sdk-host.js";
import { sdkWorld } from "../support/sdk-janitor.js";
import type { SdkWorld } from "../support/sdk-janitor.js";

let world: SdkWorld;
let host: SdkHost;

afterEach(async () => {
  await host.close();
  world.parley.close();
});

function open(options: Parameters<typeof sdkWorld>[0] = {}): void {
  world = sdkWorld(options);
  host = sdkHost(world.make);
}

const token = (token: string, extra?: Wire, clientId = "c1"): AuthInfo => ({
  token,
  clientId,
  scopes: [],
  ...(extra === undefined ? {} : { extra }),
});

const DELETE = { name: "delete_branch", arguments: { branch: "old" } };

/** Begins a flow under one token and goes on under another: whether the state was taken. */
async function movesOn(from: AuthInfo | undefined, to: AuthInfo | undefined): Promise<boolean> {
  const asked = await host.as(from, request("tools/call", DELETE));
  const extra = answer(asked["result"] as Wire, { sure: accept() });
  const next = await host.as(to, request("tools/call", { ...DELETE, ...extra }));
  const { resultType } = (next["result"] ?? {}) as Wire;
  if (resultType === undefined) expect(next["error"]).toMatchObject({ code: -32602 });
  return resultType === "input_required";
}

describe("who calls", () => {
  const alice = { sub: "alice", iss: "https://id.example" };

  it("is the subject, its issuer and the client, whatever the token", async () => {
    open();
    expect(await movesOn(token("t1", alice), token("t2", alice))).toBe(true);
    expect(await movesOn(token("t1", alice), token("t1", { ...alice, sub: "bob" }))).toBe(false);
    expect(await movesOn(token("t1", alice), token("t1", { ...alice, iss: "x" }))).toBe(false);
    expect(await movesOn(token("t1", alice), token("t1", { sub: "alice" }))).toBe(false);
    expect(await movesOn(token("t1", alice), token("t1", alice, "c2"))).toBe(false);
    expect(await movesOn(token("t1", alice), undefined)).toBe(false);
    expect(await movesOn(undefined, token("t1", alice))).toBe(false);
    expect(await movesOn(undefined, undefined)).toBe(true);
    expect(world.warnings.join()).not.toContain("subject");
  });

  it("is the token itself where it names no subject, which is said once", async () => {
    open();
    expect(await movesOn(token("t1"), token("t1"))).toBe(true);
    expect(await movesOn(token("t1"), token("t2"))).toBe(false);
    expect(await movesOn(token("t1", { sub: 7 }), token("t1"))).toBe(true);
    // An empty subject would make one caller of all who have it.
    expect(await movesOn(token("t1", { sub: "" }), token("t2", { sub: "" }))).toBe(false);
    expect(world.warnings.filter((warning) => warning.includes("extra.sub"))).toHaveLength(1);
  });

  it("is whom the author says", async () => {
    open({
      principal: (ctx) => {
        const subject = ctx.http?.authInfo?.extra?.["user"];
        return typeof subject === "string" ? { issuer: "mine", subject } : undefined;
      },
    });
    const as = (user: string, id: string) => token(id, { user, sub: id });
    expect(await movesOn(as("alice", "t1"), as("alice", "t2"))).toBe(true);
    expect(await movesOn(as("alice", "t1"), as("bob", "t1"))).toBe(false);
  });

  it.each<[string, object]>([
    ["no subject", { issuer: "mine", subject: undefined }],
    ["an empty one", { issuer: "mine", subject: "" }],
    ["no issuer", { subject: "alice" }],
  ])("is nobody served when the author says %s", async (_, who) => {
    open({ principal: () => who as never });
    const { result } = await host.as(undefined, request("tools/call", DELETE));
    expect(result).toMatchObject({ isError: true, content: [{ text: "Internal error" }] });
    expect(world.errors).toContainEqual(expect.any(TypeError));
  });

  it("is nobody served when the author cannot say: nothing is told, and it is logged", async () => {
    open({
      principal: () => {
        throw new Error("password=hunter2");
      },
    });
    const { result } = await host.as(undefined, request("tools/call", DELETE));
    expect(result).toMatchObject({ isError: true, content: [{ text: "Internal error" }] });
    expect(JSON.stringify(result)).not.toContain("hunter2");
    expect(world.errors).toContainEqual(new Error("password=hunter2"));
    const held = request("tools/call", { ...DELETE, requestState: "p1.AAAA" });
    const { error } = await host.as(undefined, held);
    expect(error).toMatchObject({ code: -32602 });
    expect(JSON.stringify(error)).not.toContain("hunter2");
  });
});
