import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** An HTTP server on this machine that has an origin, and nothing to say yet. */
export async function listen(port: number): Promise<{ http: Server; origin: string }> {
  const http = createServer();
  await new Promise<void>((resolve, reject) => {
    http.once("error", reject);
    http.listen(port, "127.0.0.1", resolve);
  });
  return { http, origin: `http://127.0.0.1:${(http.address() as AddressInfo).port}` };
}

export type Page = (request: IncomingMessage, response: ServerResponse, url: URL) => unknown;

/** Answers requests by method and path, such as "GET /connect". */
export function route(http: Server, origin: string, pages: Readonly<Record<string, Page>>): void {
  const routes = new Map(Object.entries(pages));
  http.on("request", (request, response) => {
    const target = request.url ?? "/";
    const url = URL.canParse(target, origin) ? new URL(target, origin) : new URL(origin);
    const page = routes.get(`${request.method ?? ""} ${url.pathname}`);
    if (page === undefined) {
      show(response, 404, html`<p>There is nothing here.</p>`);
      return;
    }
    Promise.resolve(page(request, response, url)).catch(() => {
      if (!response.headersSent) show(response, 500, html`<p>Something went wrong.</p>`);
    });
  });
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** HTML in which every value is escaped, so that no name and no ticket becomes markup. */
export function html(parts: TemplateStringsArray, ...values: string[]): string {
  const escaped = values.map((value) => value.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? ""));
  return String.raw({ raw: parts }, ...escaped);
}

/** Sends a page that runs no script, fits in no frame, and tells no other site its address. */
export function show(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
  });
  response.end(`<!doctype html><html lang="en"><title>Calendar</title><body>${body}</body></html>`);
}

/** Sends the browser on, with a cookie that no script can read where one is given. */
export function goTo(response: ServerResponse, url: string, cookie?: string): void {
  const set = cookie === undefined ? {} : { "set-cookie": `${cookie}; HttpOnly; SameSite=Lax` };
  response.writeHead(303, { location: url, "referrer-policy": "no-referrer", ...set }).end();
}

/** A cookie's value; an empty text where there is none. */
export function cookieOf(request: IncomingMessage, name: string): string {
  const cookies = (request.headers.cookie ?? "").split(/; */);
  return cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
}

const LONGEST_FORM = 16_384;

/** The fields of a form that was sent. */
export async function fieldsOf(request: IncomingMessage): Promise<URLSearchParams> {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) {
    body += String(chunk);
    if (body.length > LONGEST_FORM) throw new Error("This form is too long");
  }
  return new URLSearchParams(body);
}
