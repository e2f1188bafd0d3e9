import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { isPrincipal } from "../../src/state/principal.js";
import { SecretText } from "../../src/state/secret-text.js";

describe("a principal", () => {
  it.each([
    [{ issuer: "https://id.example", subject: "alice" }],
    [{ issuer: "", subject: "alice" }],
    [{ issuer: "i", subject: " " }],
    [{ issuer: "i", subject: "alice", client: "app" }],
    [{ issuer: "i", subject: "alice", client: "" }],
    [{ issuer: "i", subject: "alice", client: undefined }],
    [{ issuer: "i", subject: "alice", scopes: undefined }],
    [{ issuer: "i", subject: "alice", scopes: [] }],
    [{ issuer: "i", subject: "alice", scopes: ["read", "write"] }],
    [Object.assign(Object.create(null) as object, { issuer: "i", subject: "s" })],
  ])("may be %j", (given) => {
    expect(isPrincipal(given)).toBe(true);
  });

  it.each([
    [undefined],
    [null],
    ["alice"],
    [7],
    [[]],
    [{}],
    [{ issuer: "i" }],
    [{ subject: "alice" }],
    [{ issuer: "i", subject: "" }],
    [{ issuer: "i", subject: undefined }],
    [{ issuer: "i", subject: 7 }],
    [{ issuer: undefined, subject: "alice" }],
    [{ issuer: 7, subject: "alice" }],
    [{ issuer: "i", subject: "alice", client: 7 }],
    [{ issuer: "i", subject: "alice", client: null }],
    [{ issuer: "i", subject: "alice", scopes: "read write" }],
    [{ issuer: "i", subject: "alice", scopes: ["read", 7] }],
  ])("is not %j", (given) => {
    expect(isPrincipal(given)).toBe(false);
  });
});

describe("a secret text", () => {
  const secret = new SecretText("the secret");

  it("is told to who asks for it", () => {
    expect(secret.reveal()).toBe("the secret");
  });

  it("is shown by nothing else", () => {
    expect(String(secret)).toBe("(secret)");
    expect(inspect({ key: secret }, { showHidden: true, getters: true })).toBe("{ key: (secret) }");
    expect(JSON.stringify({ key: secret })).toBe("{}");
    expect(Object.getOwnPropertyNames(secret)).toEqual([]);
  });
});
