import { expect, test } from "vitest";
import { PrincipalTags } from "../../src/state/principal-tag.js";
import { RingKey } from "../../src/state/ring-key.js";
import { testKey } from "./fixtures.js";

/** A key that counts how often a tag had to be made. */
class CountedKey extends RingKey {
  made = 0;

  override mac(purpose: string, data: Uint8Array): Buffer {
    this.made += 1;
    return super.mac(purpose, data);
  }
}

test("keeps the tags of the last 1024 principals and no more", () => {
  const key = new CountedKey(testKey(1));
  const tags = new PrincipalTags("state principal");
  const tag = (n: number): string | undefined =>
    tags.tag(key, { issuer: "i", subject: `user ${String(n)}` });
  const first = tag(0);
  for (let n = 1; n < 1024; n += 1) tag(n);
  expect(tag(0)).toBe(first);
  expect(key.made).toBe(1024);

  tag(1024); // and the oldest goes
  expect(tag(0)).toBe(first);
  expect(key.made).toBe(1026);
  tag(1023);
  expect(key.made).toBe(1026);
});

test("no two principals share a tag, however their names run together", () => {
  const key = new RingKey(testKey(1));
  const tags = new PrincipalTags("state principal");
  const people = [
    undefined,
    { issuer: "a", subject: "bc" },
    { issuer: "ab", subject: "c" },
    { issuer: "a", subject: "b", client: "c" },
    { issuer: "a", subject: "b:c" },
    { issuer: "a", subject: "bc", client: "" },
    { issuer: "a", subject: "bc", client: "undefined" },
  ];
  expect(new Set(people.map((one) => tags.tag(key, one))).size).toBe(people.length);
});
