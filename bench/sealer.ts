/** What a measurement of the sealing alone needs of the library's inside, which is not published. */
interface Codec {
  seal(payload: string, context: object): string;
  open(token: string, keys: unknown): object | string;
}

interface Inside {
  readonly keyRing: (keys: undefined) => { readonly primary: unknown };
  readonly sealed: () => Codec;
}

async function inside(): Promise<Inside> {
  const folder = new URL("../../packages/mcp-parley/dist/state/", import.meta.url);
  const [ring, codec] = await Promise.all(
    ["ring.js", "sealed.js"].map((file) => import(new URL(file, folder).href) as Promise<object>),
  );
  return { ...ring, ...codec } as Inside;
}

/** Our default codec, by itself. */
export async function sealer(): Promise<{ seal(text: string): string; open(token: string): void }> {
  const { keyRing, sealed } = await inside();
  const keys = keyRing(undefined);
  const codec = sealed();
  const key = keys.primary;
  const context = { key, flow: "f", issuedAt: 0, expiresAt: 0, deadline: 0, holder: undefined };
  return {
    seal: (text) => codec.seal(text, context),
    open: (token) => {
      if (typeof codec.open(token, keys) === "string") throw new Error("not opened");
    },
  };
}
