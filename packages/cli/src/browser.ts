import { spawn } from "node:child_process";

/** How long a program that opens a page may take to fail, in ms; after that it is taken to work. */
const SETTLED_MS = 3_000;

/**
 * Has the user's browser open a page; false where that did not work. No shell is involved, and the
 * URL, which begins with http, can't be taken for an option.
 */
export function openInBrowser(href: string): Promise<boolean> {
  const [command, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  return new Promise((resolve) => {
    const child = spawn(command, [...args, href], {
      stdio: "ignore",
      detached: true,
      shell: false,
      windowsHide: true,
    });
    // Some of them stay for as long as the browser does.
    const timer = setTimeout(() => resolve(true), SETTLED_MS);
    const settle = (opened: boolean): void => {
      clearTimeout(timer);
      resolve(opened);
    };
    child.on("error", () => settle(false));
    child.on("exit", (code) => settle(code === 0));
    child.unref();
  });
}

const OPENERS: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"], // `start` would need a shell
};
