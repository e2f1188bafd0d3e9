import { describe, expect, it } from "vitest";
import { oauth } from "../../../src/entry/client-auth.js";

const REDIRECT = "http://127.0.0.1:7777/callback";
const made = (options: { redirectUri?: string; clientMetadataUrl?: string }) => () =>
  oauth({ redirectUri: REDIRECT, authorize: () => REDIRECT, ...options });
const usage = expect.objectContaining({ code: "usage" }) as Error;

describe("A person comes back", () => {
  it.each([
    "https://host.example/callback",
    "http://localhost:1/",
    "http://127.0.0.1/",
    "http://[::1]:1/",
  ])("to %s", (redirectUri) => {
    expect(made({ redirectUri })).not.toThrow();
  });

  it.each([
    "http://host.example/callback",
    "http://localhost.host.example/",
    "https://host.example/callback#part",
    "ftp://host.example/",
    "javascript:alert(1)",
    "host.example/callback",
    "",
  ])("and not to %j", (redirectUri) => {
    expect(made({ redirectUri })).toThrow(usage);
  });
});

describe("A client's document", () => {
  it("may be at an https URL with a path", () => {
    expect(made({ clientMetadataUrl: "https://host.example/client.json" })).not.toThrow();
  });

  it.each([
    "http://host.example/client.json",
    "http://localhost/client.json",
    "https://host.example",
    "https://host.example/",
    "https://host.example/client.json#part",
    "https://host.example/client.json#",
    "https://host.example/../client.json",
    "https://host.example/a/./client.json",
    "https://host.example/a/..",
    "https://me:secret@host.example/client.json",
    "client.json",
  ])("and not at %j", (clientMetadataUrl) => {
    expect(made({ clientMetadataUrl })).toThrow(usage);
  });
});
