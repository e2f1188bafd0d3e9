import { describe, expect, it } from "vitest";
import * as codes from "../../src/protocol/codes.js";
import * as applications from "../../src/server/failures.js";

const numbersOf = (module: object): [string, number][] =>
  Object.entries(module).filter((entry): entry is [string, number] => typeof entry[1] === "number");

describe("the codes of this library", () => {
  const JSON_RPC = [-32700, -32600, -32601, -32602, -32603];
  const REVISION = [-32020, -32021, -32022];

  it("are JSON-RPC's, this revision's, or outside of what either reserves", () => {
    const protocol = numbersOf(codes).map(([, code]) => code);
    expect(protocol.sort()).toEqual([...JSON_RPC, ...REVISION].sort());
    const own = numbersOf(applications);
    expect(own.length).toBeGreaterThan(3);
    for (const [name, code] of own) expect(codes.mayBeChosen(code), name).toBe(true);
  });

  it.each([...JSON_RPC, -32769, -31999, 0, 1001])("let a handler choose %d", (code) => {
    expect(codes.mayBeChosen(code)).toBe(true);
  });

  it.each([...REVISION, -32768, -32099, -32042, -32019, -32002, -32001, -32000, 1.5, NaN])(
    "do not let a handler choose %d",
    (code) => {
      expect(codes.mayBeChosen(code)).toBe(false);
    },
  );
});
