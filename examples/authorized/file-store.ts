import { readFileSync, renameSync, writeFileSync } from "node:fs";
import type { CredentialStore, StoredCredentials } from "mcp-parley/client/auth";

type Kept = Record<string, StoredCredentials>;

/** Keeps credentials in a file that only its owner can read. A keychain is better where there is one. */
export function fileStore(path: string): CredentialStore {
  const read = (): Kept => {
    try {
      return JSON.parse(readFileSync(path, "utf8")) as Kept;
    } catch (error) {
      if ((error as { code?: string }).code === "ENOENT") return {};
      throw error;
    }
  };
  const write = (kept: Kept): void => {
    writeFileSync(`${path}.new`, JSON.stringify(kept), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  };
  return {
    get: (issuer) => read()[issuer],
    set: (issuer, credentials) => write({ ...read(), [issuer]: credentials }),
    delete(issuer) {
      const { [issuer]: _gone, ...others } = read();
      write(others);
    },
  };
}
