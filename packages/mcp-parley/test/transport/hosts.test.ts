import { describe, expect, test } from "vitest";
import {
  isLoopbackAddress,
  isLoopbackName,
  isSameOrigin,
  readHost,
} from "../../src/transport/hosts.js";

test.each([
  ["localhost", "localhost", ""],
  ["LocalHost:3000", "localhost", "3000"],
  ["127.0.0.1:80", "127.0.0.1", "80"],
  ["[::1]:3000", "[::1]", "3000"],
  ["mcp.example.com", "mcp.example.com", ""],
  ["my_service", "my_service", ""],
])("reads the host %s", (text, name, port) => {
  expect(readHost(text)).toEqual({ name, port });
});

test.each([
  "",
  ":80",
  "a:b",
  "a:123456",
  "evil.com/localhost",
  "user@localhost",
  "localhost, evil.com",
  "local host",
  "-a",
  "a.",
  "::1",
  "[::1",
  "localhost\u00e9",
  "http://localhost",
  "*",
])("%j is no host", (text) => {
  expect(readHost(text)).toBeUndefined();
});

describe("loopback", () => {
  test.each(["localhost", "127.0.0.1", "127.1.2.3", "[::1]"])("%s is", (name) => {
    expect(isLoopbackName(name)).toBe(true);
  });

  test.each([
    "localhost.evil.com",
    "127.0.0.1.evil.com",
    "127.evil.com",
    "notlocalhost",
    "128.0.0.1",
    "[::2]",
    "0.0.0.0",
  ])("%s is not", (name) => {
    expect(isLoopbackName(name)).toBe(false);
  });

  test.each(["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"])("address %s is", (address) => {
    expect(isLoopbackAddress(address)).toBe(true);
  });

  test.each([undefined, "10.0.0.127", "::ffff:10.0.0.1", "fe80::1"])("%s is not", (address) => {
    expect(isLoopbackAddress(address)).toBe(false);
  });
});

describe("same origin", () => {
  test.each([
    ["http://localhost:3000", "localhost:3000"],
    ["http://localhost", "localhost:80"],
    ["http://localhost", "LOCALHOST"],
    ["https://mcp.example.com", "mcp.example.com"],
    ["https://mcp.example.com", "mcp.example.com:443"],
    ["http://[::1]:8080", "[::1]:8080"],
  ])("%s is the site of %s", (origin, host) => {
    expect(isSameOrigin(origin, host)).toBe(true);
  });

  test.each([
    ["http://localhost:3001", "localhost:3000"],
    ["https://localhost:80", "localhost"],
    ["http://evil.com", "localhost"],
    ["null", "localhost"],
    ["", "localhost"],
    ["file://localhost", "localhost"],
    ["http://user@localhost", "localhost"],
    ["http://localhost/", "localhost"],
    ["http://", ""],
  ])("%s is not the site of %s", (origin, host) => {
    expect(isSameOrigin(origin, host)).toBe(false);
  });
});
