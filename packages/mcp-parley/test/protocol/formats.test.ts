import { describe, expect, it } from "vitest";
import { hasFormat, isTextFormat } from "../../src/protocol/formats.js";
import type { TextFormat } from "../../src/protocol/formats.js";

const table: Record<TextFormat, { right: string[]; wrong: string[] }> = {
  email: {
    right: [
      "octocat@github.com",
      "a@b",
      "first.last+tag@sub.example.co.uk",
      "o'hara@example.com",
      "x@xn--bcher-kva.example",
      `${"a".repeat(64)}@example.com`,
    ],
    wrong: [
      "",
      "@",
      "a",
      "a@",
      "@b",
      "a@b@",
      "a b@c",
      ".a@b",
      "a.@b",
      "a..b@c",
      "a@-b",
      "a@b-",
      "a@b..c",
      "a@b.",
      "a@b\n",
      "ä@b",
      "a@b,c@d",
      "<a@b>",
      `${"a".repeat(65)}@example.com`,
      `a@${"b.".repeat(127)}b`,
    ],
  },
  uri: {
    right: [
      "https://example.com",
      "https://example.com:8443/a/b?c=d&e#f",
      "https://[::1]/x",
      "mailto:a@b",
      "urn:isbn:0451450523",
      "file:///a%20b",
    ],
    wrong: [
      "",
      "example.com",
      "/a",
      "https://",
      "https://exa mple.com",
      "https://example.com/ą",
      "https://example.com/%zz",
      "http://[::1",
      "1http://x",
      " https://example.com",
      "https://example.com\n",
      "https://example.com/<x>",
    ],
  },
  date: {
    right: ["2026-07-28", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31"],
    wrong: [
      "",
      "2026-7-28",
      "2026-02-29",
      "1900-02-29",
      "2026-13-01",
      "2026-00-10",
      "2026-04-31",
      "2026-01-00",
      "28.07.2026",
      "2026-07-28T00:00:00Z",
      "2026-07-28\n",
      "+02026-07-28",
      "٢٠٢٦-٠٧-٢٨",
    ],
  },
  "date-time": {
    right: [
      "2026-07-28T12:00:00Z",
      "2026-07-28t12:00:00z",
      "2026-07-28T23:59:59.999999+14:00",
      "2024-02-29T00:00:00-00:00",
    ],
    wrong: [
      "",
      "2026-07-28",
      "2026-07-28T12:00:00",
      "2026-07-28 12:00:00Z",
      "2026-07-28T24:00:00Z",
      "2026-07-28T12:60:00Z",
      "2026-06-30T23:59:60Z",
      "2026-07-28T12:00Z",
      "2026-02-30T12:00:00Z",
      "2026-07-28T12:00:00.Z",
      "2026-07-28T12:00:00+1:00",
      "2026-07-28T12:00:00+24:00",
      "2026-07-28T12:00:00Z\n",
    ],
  },
};

describe.each(Object.entries(table) as [TextFormat, (typeof table)[TextFormat]][])(
  "%s",
  (format, { right, wrong }) => {
    it.each(right)("takes %j", (text) => {
      expect(hasFormat(format, text)).toBe(true);
    });
    it.each(wrong)("refuses %j", (text) => {
      expect(hasFormat(format, text)).toBe(false);
    });
    it("takes no time worth mentioning for text made to take long", () => {
      const started = performance.now();
      for (const part of ["a", "a.", "a-", "-", "1", "%41", "a@", "2026-07-28T"]) {
        hasFormat(format, `${part.repeat(50_000)}!`);
        hasFormat(format, `a@${part.repeat(50_000)}!`);
        hasFormat(format, `a:${part.repeat(50_000)}!\n`);
      }
      expect(performance.now() - started).toBeLessThan(1500);
    });
  },
);

it("knows four formats", () => {
  for (const format of ["uuid", "time", "toString", "__proto__", undefined, 7, null]) {
    expect(isTextFormat(format)).toBe(false);
  }
  for (const format of Object.keys(table)) expect(isTextFormat(format)).toBe(true);
});
