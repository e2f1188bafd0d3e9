import type * as Ring from "../packages/mcp-parley/dist/state/ring.js";
import type * as Sealed from "../packages/mcp-parley/dist/state/sealed.js";

// The inside of the library is not published; a measurement of the sealing alone needs it.
const inside = new URL("../../packages/mcp-parley/dist/state/", import.meta.url);
const { keyRing } = (await import(new URL("ring.js", inside).href)) as typeof Ring;
const { sealed } = (await import(new URL("sealed.js", inside).href)) as typeof Sealed;

/** Our default codec, by itself. */
export function sealer(): { seal(payload: string): string; open(token: string): void } {
  const keys = keyRing(undefined);
  const codec = sealed();
  const context = {
    key: keys.primary,
    flow: "f",
    issuedAt: 0,
    expiresAt: 0,
    deadline: 0,
    holder: undefined,
  };
  return {
    seal: (payload) => codec.seal(payload, context) as string,
    open: (token) => {
      if (typeof codec.open(token, keys) === "string") throw new Error("not opened");
    },
  };
}
