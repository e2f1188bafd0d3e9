import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { factsOfLink } from "../src/link-facts.js";

describe("a link", () => {
  test("is shown whole, its host apart", () => {
    expect(factsOfLink("https://accounts.example.com:8443/a?b=https://evil.test#c")).toEqual({
      href: "https://accounts.example.com:8443/a?b=https://evil.test#c",
      shown: ["https://", "accounts.example.com:8443", "/a?b=https://evil.test#c"],
      warnings: [],
    });
  });

  test("is shown as a browser would open it, in ASCII", () => {
    const { href, shown } = factsOfLink("https://bücher.example/\u202egpj.exe");
    expect(href).toBe("https://xn--bcher-kva.example/%E2%80%AEgpj.exe");
    expect(shown.join("")).toBe(href);
  });

  test.each([
    ["https://xn--pple-43d.com/", /reads аpple\.com, and is xn--pple-43d\.com/],
    ["https://аpple.com/", /is xn--pple-43d\.com/],
    ["https://paypal.com@evil.test/", /leads: that is evil\.test/],
    ["https://u:p@evil.test/", /leads: that is evil\.test/],
    ["http://example.com/", /not encrypted/],
    ["https://93.184.216.34/", /bare number/],
    ["https://[2606:2800::1]/", /bare number/],
    ["http://127.0.0.1:3000/", /your own machine/],
    ["http://[::1]/", /your own machine/],
    ["http://localhost/", /your own machine/],
    [`https://accounts.google.com.${"a".repeat(40)}.evil.test/`, /its end, ….*evil\.test/],
  ])("%s comes with a warning", (url, warning) => {
    expect(factsOfLink(url).warnings.join("\n")).toMatch(warning);
    expect(factsOfLink(url).href).toBeDefined();
  });

  test.each([
    "javascript:alert(1)",
    "file:///etc/passwd",
    "data:text/html,x",
    "-x",
    "",
    "ftp://a/",
  ])("%s is never opened", (url) => {
    const { href, warnings } = factsOfLink(url);
    expect(href).toBeUndefined();
    expect(warnings).toHaveLength(1);
  });

  test("the host that is set apart is the one that would be asked", () => {
    fc.assert(
      fc.property(
        fc.webUrl({ withQueryParameters: true, withFragments: true }),
        fc.string(),
        (url, user) => {
          const given = URL.canParse(url) ? new URL(url) : undefined;
          if (given === undefined) return;
          given.username = user;
          const { href, shown } = factsOfLink(given.href);
          expect(shown.join("")).toBe(href);
          expect(shown[1]).toBe(given.host);
          expect(shown[0]).toMatch(/\/\/$|@$/);
        },
      ),
    );
  });
});
