import { randomUUID } from "node:crypto";
import type { Server, ServerResponse } from "node:http";
import type { McpServer, Principal } from "mcp-parley";
import type { Calendars } from "./calendars.js";
import type { IdentityProvider } from "./identity.js";
import { cookieOf, fieldsOf, goTo, html, route, show } from "./web.js";

/** What the page is made of. */
export interface ConnectPageParts {
  readonly server: Pick<McpServer, "openTicket">;
  readonly identity: IdentityProvider;
  readonly calendars: Calendars;
}

/**
 * The page behind the link. Whoever opens it logs in first, and the ticket is opened for them: both
 * when the page is shown and when its form is sent, so that a forged form does nothing either.
 */
export function connectPage(http: Server, origin: string, parts: ConnectPageParts): void {
  const { server, identity, calendars } = parts;
  const sessions = new Map<string, Principal>();

  /** True if the ticket was made for this person; if not, they are told so. */
  function isTheirs(ticket: string, person: Principal, response: ServerResponse): boolean {
    const opened = server.openTicket(ticket, person);
    if (opened.ok) return true;
    const why =
      opened.refusal === "ticket_expired"
        ? "This link has expired. Go back to where you got it and ask again."
        : "This link was not made for you. If somebody sent it to you, do not go on.";
    show(
      response,
      403,
      html`<h1>Not for ${person.subject}</h1>
        <p>${why}</p>`,
    );
    return false;
  }

  route(http, origin, {
    "GET /connect": (request, response, url) => {
      const ticket = url.searchParams.get("ticket") ?? "";
      const person = sessions.get(cookieOf(request, "session"));
      if (person === undefined) {
        // The cookie holds the way back to the browser that set out on it.
        const login = randomUUID();
        goTo(response, identity.loginUrl(`${login}.${ticket}`), `login=${login}`);
        return;
      }
      if (!isTheirs(ticket, person, response)) return;
      show(
        response,
        200,
        html`<h1>Connect your calendar</h1>
          <p>You are logged in as ${person.subject}. Your assistant will see your events.</p>
          <form method="post" action="/connect">
            <input type="hidden" name="ticket" value="${ticket}" />
            <button>Connect</button>
          </form>`,
      );
    },

    "GET /signed-in": (request, response, url) => {
      const [login = "", ...ticket] = (url.searchParams.get("state") ?? "").split(".");
      const person = identity.redeem(url.searchParams.get("code") ?? "");
      if (person === undefined || login === "" || login !== cookieOf(request, "login")) {
        show(response, 403, html`<p>This log-in was not begun here. Open the link again.</p>`);
        return;
      }
      const session = randomUUID();
      sessions.set(session, person);
      const query = new URLSearchParams({ ticket: ticket.join(".") });
      goTo(response, `${origin}/connect?${query.toString()}`, `session=${session}`);
    },

    "POST /connect": async (request, response) => {
      const ticket = (await fieldsOf(request)).get("ticket") ?? "";
      const person = sessions.get(cookieOf(request, "session"));
      if (person === undefined) {
        show(response, 403, html`<p>You are not logged in. Open the link again.</p>`);
        return;
      }
      if (!isTheirs(ticket, person, response)) return;
      calendars.connect(person); // a real page would send them to the calendar's own consent first
      show(
        response,
        200,
        html`<h1>Connected</h1>
          <p>Go back to your assistant.</p>`,
      );
    },
  });
}
