import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Awaitable } from "../../protocol/json.js";
import type { Authorize } from "./code-flow.js";

/** How a person is sent to an authorization server and back to this process. */
export interface LoopbackOptions {
  /** Shows the person this page: opens a browser, or prints the address. */
  readonly open: (url: URL) => Awaitable<void>;
  /**
   * The port to come back to, on 127.0.0.1. Choose one and keep to it: at another port the client
   * is another one, which registers itself, and asks its person, anew. 0 takes any free one.
   */
  readonly port: number;
  /** What the person reads once they are back, as plain text. Default: that they may close the page. */
  readonly message?: string | undefined;
}

/** The two options of `oauth` that send a person out and take them back, and an end to it. */
export interface Loopback {
  readonly redirectUri: string;
  readonly authorize: Authorize;
  /** Listens no more. Who is still away does not come back: abort their calls. */
  close(): Promise<void>;
}

const PATH = "/callback";

/** How long a page may take to be read once nothing is listened to any more, in ms. */
const GRACE = 1_000;

/**
 * Listens on this machine alone for people who come back from an authorization server. Several may
 * be away at the same time; each is told by the `state` of their request, and whoever comes with
 * another one is turned away. Rejects with Node's error where the port is taken. Does not keep the
 * process running while nobody is away. Specification: RFC 8252, section 7.3.
 */
export async function loopback(options: LoopbackOptions): Promise<Loopback> {
  const { open, port, message = "You are signed in, and may close this page." } = options;
  const away = new Map<string, (url: string) => void>();
  const answer = (status: number, text: string, response: ServerResponse): void => {
    response.writeHead(status, { "content-type": "text/plain; charset=utf-8", ...ALONE });
    response.end(text);
  };
  const listener = createServer((request: IncomingMessage, response: ServerResponse) => {
    const { url = "/", method } = request;
    const back = URL.canParse(url, redirectUri) ? new URL(url, redirectUri) : undefined;
    const state = back?.pathname === PATH ? back.searchParams.get("state") : null;
    const comeBack = state === null ? undefined : away.get(state);
    if (method !== "GET" || back === undefined || comeBack === undefined) {
      answer(404, "Nobody is expected here.", response);
      return;
    }
    answer(200, back.searchParams.has("error") ? "You may close this page." : message, response);
    comeBack(redirectUri + back.search);
  });
  await new Promise<void>((resolve, reject) => {
    listener.once("error", reject);
    listener.listen(port, "127.0.0.1", resolve);
  });
  listener.unref();
  const redirectUri = `http://127.0.0.1:${(listener.address() as AddressInfo).port}${PATH}`;
  return {
    redirectUri,
    async authorize(url, { signal }) {
      const state = url.searchParams.get("state") ?? "";
      const isBack = new Promise<string>((resolve) => away.set(state, resolve));
      const leave = (): void => {
        away.delete(state);
        if (away.size === 0) listener.unref();
      };
      signal.addEventListener("abort", leave, { once: true });
      listener.ref();
      try {
        await open(url);
        return await isBack;
      } finally {
        signal.removeEventListener("abort", leave);
        leave();
      }
    },
    async close() {
      const closed = new Promise((resolve) => listener.close(resolve));
      // Who has just come back is to read so.
      const cut = setTimeout(() => listener.closeAllConnections(), GRACE);
      await closed;
      clearTimeout(cut);
    },
  };
}

/** The address of this page holds a code: nobody else is to be told it. */
const ALONE = {
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  connection: "close",
};
