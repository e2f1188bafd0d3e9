import { randomUUID } from "node:crypto";
import type { Server } from "node:http";
import type { Principal } from "mcp-parley";
import { fieldsOf, goTo, html, route, show } from "./web.js";

/** Everyone there is. A pretend identity provider needs no better secrets. */
const PEOPLE: Readonly<Record<string, { password: string; token: string }>> = {
  ann: { password: "ann's password", token: "token-of-ann" },
  bob: { password: "bob's password", token: "token-of-bob" },
};

/**
 * A pretend identity provider: it knows whose a bearer token is, which is how people reach the
 * tool, and it has a page to log in at, which is how they reach the page. Both name one person alike.
 */
export class IdentityProvider {
  readonly #origin: string;
  readonly #codes = new Map<string, Principal>();

  /** `returnTo` is the one address it sends people back to. */
  constructor(http: Server, origin: string, returnTo: string) {
    this.#origin = origin;
    route(http, origin, {
      "GET /login": (_, response, url) => {
        const state = url.searchParams.get("state") ?? "";
        show(
          response,
          200,
          html`<h1>Log in</h1>
            <form method="post" action="/login">
              <input type="hidden" name="state" value="${state}" />
              <label>Name <input name="name" /></label>
              <label>Password <input name="password" type="password" /></label>
              <button>Log in</button>
            </form>`,
        );
      },
      "POST /login": async (request, response) => {
        const fields = await fieldsOf(request);
        const name = fields.get("name") ?? "";
        const person = Object.hasOwn(PEOPLE, name) ? PEOPLE[name] : undefined;
        if (person === undefined || person.password !== fields.get("password")) {
          show(response, 403, html`<p>There is no ${name} with this password.</p>`);
          return;
        }
        const code = randomUUID();
        this.#codes.set(code, { issuer: origin, subject: name });
        const query = new URLSearchParams({ code, state: fields.get("state") ?? "" });
        goTo(response, `${returnTo}?${query.toString()}`);
      },
    });
  }

  /** Where to send a browser to be logged in. */
  loginUrl(state: string): string {
    return `${this.#origin}/login?${new URLSearchParams({ state }).toString()}`;
  }

  /** Who logged in; a code works once. */
  redeem(code: string): Principal | undefined {
    const person = this.#codes.get(code);
    this.#codes.delete(code);
    return person;
  }

  /** Whose token an `Authorization` header carries, and which client it was given to. */
  bearer(authorization: string | null): Principal | undefined {
    for (const [subject, { token }] of Object.entries(PEOPLE)) {
      if (authorization === `Bearer ${token}`) {
        return { issuer: this.#origin, subject, client: "a-host" };
      }
    }
    return undefined;
  }
}
