import { isIP } from "node:net";
import { domainToUnicode } from "node:url";
import { oneLine } from "./plain.js";

/** What a person should know of a link before it is opened. */
export interface LinkFacts {
  /** The whole URL, as a browser would open it: ASCII only. Undefined for what is no web page. */
  readonly href: string | undefined;
  /** The URL as it is shown, the host apart from what stands before and after it. */
  readonly shown: readonly [before: string, host: string, after: string];
  /** Reasons to be careful, each a sentence. */
  readonly warnings: readonly string[];
}

const LONG_HOST = 50;

/**
 * Reads a server's link without opening it. Only http and https are ever opened; a link may still be
 * a lie, so whatever is unusual about its host is said.
 * Specification: client/elicitation, Safe URL Handling.
 */
export function factsOfLink(given: string): LinkFacts {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url?.protocol !== "https:" && url?.protocol !== "http:") {
    const shown = oneLine(given, Infinity);
    return {
      href: undefined,
      shown: ["", "", shown],
      warnings: ["This is not the address of a web page: it is not opened."],
    };
  }
  const { href, host } = url;
  const at = href.indexOf(
    host,
    href.lastIndexOf("@", href.indexOf("/", url.protocol.length + 2)) + 1,
  );
  return {
    href,
    shown: [href.slice(0, at), host, href.slice(at + host.length)],
    warnings: [...warningsOf(url)],
  };
}

function* warningsOf(url: URL): Iterable<string> {
  const { hostname, protocol, username, password } = url;
  const address = hostname.replace(/^\[|\]$/g, "");
  const isLocal =
    hostname === "localhost" || hostname.endsWith(".localhost") || isLoopback(address);
  if (username !== "" || password !== "") {
    yield `What stands before the @ is not where it leads: that is ${hostname}.`;
  }
  if (/(?:^|\.)xn--/.test(hostname)) {
    const unicode = oneLine(domainToUnicode(hostname));
    yield `The host is written in letters that may look like others: it reads ${unicode}, and is ${hostname}.`;
  }
  if (isIP(address) !== 0 && !isLocal) yield "The host is a bare number, not a name.";
  if (isLocal) yield "The page is on your own machine.";
  if (protocol === "http:" && !isLocal) yield "The page is not encrypted (http).";
  if (hostname.length > LONG_HOST) {
    const end = hostname.split(".").slice(-3).join(".");
    yield `The host is long: what counts is its end, …${end}.`;
  }
}

function isLoopback(address: string): boolean {
  return address === "::1" || (isIP(address) === 4 && address.startsWith("127."));
}
