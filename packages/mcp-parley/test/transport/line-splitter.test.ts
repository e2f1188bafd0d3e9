import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ByteCollector } from "../../src/protocol/byte-collector.js";
import { LineSplitter } from "../../src/transport/line-splitter.js";

const TOO_LONG = Symbol("too long");

/** Everything the splitter finds in `pieces`, in order. */
function split(pieces: Iterable<Uint8Array>, limit: number): (string | typeof TOO_LONG)[] {
  const found: (string | typeof TOO_LONG)[] = [];
  const lines = new LineSplitter(limit, {
    line: (line) => found.push(new TextDecoder("utf-8", { fatal: true }).decode(line)),
    tooLong: () => found.push(TOO_LONG),
  });
  for (const piece of pieces) lines.push(piece);
  lines.end();
  return found;
}

/** `bytes` cut at `cuts`. */
function pieces(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length];
  places.sort((a, b) => a - b);
  return places.slice(1).map((to, i) => bytes.subarray(places[i], to));
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const lineText = fc
  .string({ unit: "binary", maxLength: 40 })
  .map((text) => text.replaceAll("\n", ""))
  .filter((text) => !/\p{Surrogate}/u.test(text));
const cuts = fc.array(fc.nat(), { maxLength: 12 });

describe("a line splitter", () => {
  test("finds the same lines whatever pieces they come in", () => {
    fc.assert(
      fc.property(fc.array(lineText), cuts, (lines, places) => {
        const bytes = bytesOf(lines.map((line) => `${line}\n`).join(""));
        expect(split(pieces(bytes, places), 1000)).toEqual(lines);
      }),
    );
  });

  test("refuses exactly the lines over its limit, and recovers at the next newline", () => {
    fc.assert(
      fc.property(fc.array(lineText), cuts, fc.nat(60), (lines, places, limit) => {
        const bytes = bytesOf(lines.map((line) => `${line}\n`).join(""));
        const expected = lines.map((line) => (bytesOf(line).length > limit ? TOO_LONG : line));
        expect(split(pieces(bytes, places), limit)).toEqual(expected);
      }),
    );
  });

  test("takes what is left at the end as a line, and nothing as none", () => {
    expect(split([bytesOf("a\nb")], 10)).toEqual(["a", "b"]);
    expect(split([bytesOf("a\n")], 10)).toEqual(["a"]);
    expect(split([], 10)).toEqual([]);
  });

  test("tells of a line that is too long before its newline has come", () => {
    expect(split([bytesOf("abc")], 2)).toEqual([TOO_LONG]);
  });
});

describe("a byte collector", () => {
  test("gives back what it was given, any number of times over", () => {
    const rounds = fc.array(fc.array(fc.uint8Array({ maxLength: 30 })));
    fc.assert(
      fc.property(rounds, (all) => {
        const collector = new ByteCollector();
        for (const parts of all) {
          for (const part of parts) collector.add(part);
          const whole = parts.flatMap((part) => [...part]);
          expect(collector.size).toBe(whole.length);
          expect([...collector.take()]).toEqual(whole);
        }
      }),
    );
  });

  test("never writes into a piece it was given", () => {
    const first = new Uint8Array([1, 2, 3, 4]).subarray(0, 2);
    const collector = new ByteCollector();
    collector.add(first);
    collector.add(new Uint8Array([9]));
    collector.take();
    expect([...new Uint8Array(first.buffer)]).toEqual([1, 2, 3, 4]);
  });

  test("does not copy what came in one piece", () => {
    const piece = new Uint8Array([1, 2, 3]);
    const collector = new ByteCollector();
    collector.add(piece);
    expect(collector.take()).toBe(piece);
  });
});
