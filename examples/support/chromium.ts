import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];
const ELSEWHERE = [
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** What to do where there is none. */
export const NO_CHROMIUM =
  "This test needs Chromium, which is not on this machine: install it, such as by `apt-get install chromium` or `brew install --cask chromium`";

/** The Chromium of this machine; installs Debian's as root, and says so. Undefined without one. */
export async function chromiumProgram(): Promise<string | undefined> {
  const found = look();
  if (found !== undefined || !mayInstall()) return found;
  console.warn("The test needs Chromium, which is not on this machine: installing Debian's");
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const apt = (...args: string[]) =>
    promisify(execFile)("apt-get", ["-q", "-o", "DPkg::Lock::Timeout=300", ...args], {
      env,
      maxBuffer: Infinity,
    });
  try {
    await apt("update");
    await apt("install", "-y", "--no-install-recommends", "chromium");
  } catch (error) {
    console.warn("That failed:", error instanceof Error ? error.message : error);
  }
  return look();
}

function look(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(path.delimiter);
  const onPath = NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  return [...onPath, ...ELSEWHERE].find((file) => existsSync(file));
}

function mayInstall(): boolean {
  return process.getuid?.() === 0 && existsSync("/etc/debian_version");
}
