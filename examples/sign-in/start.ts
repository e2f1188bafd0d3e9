import { serve } from "mcp-parley/node";
import { Calendars } from "./calendars.js";
import { IdentityProvider } from "./identity.js";
import { connectPage } from "./page.js";
import { calendarServer } from "./tool.js";
import { listen } from "./web.js";

/** The example, running. */
export interface Started {
  /** Where a client connects to, with a bearer token. */
  readonly url: string;
  readonly calendars: Calendars;
  close(): Promise<void>;
}

/** Starts the server, its page and the identity provider, each on a port of its own. */
export async function start(port: number): Promise<Started> {
  const pages = await listen(0);
  const logins = await listen(0);
  const calendars = new Calendars();
  const identity = new IdentityProvider(logins.http, logins.origin, `${pages.origin}/signed-in`);
  const server = calendarServer(calendars, pages.origin);
  connectPage(pages.http, pages.origin, { server, identity, calendars });
  const serving = await serve(server, {
    port,
    authenticate: ({ headers }) =>
      identity.bearer(headers.get("authorization")) ?? {
        status: 401,
        headers: { "WWW-Authenticate": "Bearer" },
      },
  });
  return {
    url: serving.url,
    calendars,
    async close() {
      await serving.close();
      server.close();
      for (const { http } of [pages, logins]) {
        http.closeAllConnections();
        await new Promise((resolve) => http.close(resolve));
      }
    },
  };
}
