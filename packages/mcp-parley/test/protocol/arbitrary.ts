import fc from "fast-check";

/** Names that trip code which takes them for anything but names. */
export const ODD_NAMES = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "",
  "0",
  "then",
];

/** Any JSON value, built of parsed text, so that `__proto__` is a member like any other. */
export const anyJson = fc
  .jsonValue({ maxDepth: 3, stringUnit: "binary" })
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown);

/**
 * JSON objects that have the given members or almost: some are missing, and some are replaced by
 * any value at all.
 */
export function almost(members: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> {
  const loosened = Object.entries(members).map(
    ([name, value]) =>
      [
        name,
        fc.oneof(
          { weight: 8, arbitrary: value },
          { weight: 1, arbitrary: anyJson },
          { weight: 1, arbitrary: fc.constant(undefined) },
        ),
      ] as const,
  );
  return fc
    .record(Object.fromEntries(loosened))
    .map((value) => JSON.parse(JSON.stringify(value)) as unknown);
}
