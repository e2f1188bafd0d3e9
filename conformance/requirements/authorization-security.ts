import {
  authSettings,
  authorized,
  clientAuthHttp,
  clientAuthOptions,
  clientFlow,
  clientHostile,
  clientIssuer,
  loopback,
  tokens,
} from "./files.js";
import { type Page, must, mustNot, notOurs, referee, should, told } from "./requirement.js";

const PROVIDER = "it binds authorization servers; Parley is none";
const DOCS = "docs/authorization.md";

const asksForThis = clientFlow(
  "A client that is refused > asks for a code with everything the specification wants in it",
);
const wayIn = clientFlow(
  "A client that is refused > finds the authorization server, registers itself, has the person consent, and is let in",
);
const notPrinted = clientFlow(
  "Tokens > are in nothing that is printed: client, authorization, store",
);
const refused = clientHostile("Nobody is sent anywhere, and no code is asked for, where > %s");
const response = clientHostile("A response goes to no token endpoint > %s");
const openId = clientIssuer(
  "An authorization server that has OpenID Connect's metadata alone > is gone to by nobody where they do not say that it has PKCE",
);
const settingsRefused = authSettings("Settings that can't be meant are refused > %s: %j");
const noClear = clientAuthHttp(
  "A request of an authorization > may not go to %s for a server elsewhere",
);
const back = clientAuthOptions("A person comes back > and not to %j");
const forAnother = tokens("A token > of the same provider for another server is refused");
const audience = tokens("A token > with %s is refused");
const refusedToken = tokens(
  "A token through %s > that is refused runs nothing, and is told nothing but that",
);
const expired = tokens(
  "A token > is taken until it has expired, and for as long again as clocks may be apart",
);

/** The page `basic/authorization/security-considerations`. */
export const authorizationSecurity: Page = {
  path: "basic/authorization/security-considerations",
  keyWords: { MUST: 28, "MUST NOT": 1, SHOULD: 5 },
  sections: {
    "": [
      must(
        "both",
        "what follows is considered",
        told("docs/security.md", "| a token of theirs for another server |"),
        refused,
        settingsRefused,
      ),
      must("both", "OAuth's own security considerations are followed", response, noClear, audience),
    ],
    "Token Audience Binding and Validation": [
      must("client", "both requests name the resource", asksForThis, wayIn),
      must("server", "tokens are for this server", forAnother, audience),
    ],
    "Token Theft": [
      must(
        "both",
        "tokens are kept safe",
        notPrinted,
        authorized(
          "signs a person in once, and keeps what it was given where nobody else reads it",
        ),
        tokens(
          "A token > is in nothing that the server logs, reports or answers, nor in who it says calls",
        ),
        told(DOCS, "It is not in the principal, in no log and no event."),
      ),
      should("others", "access tokens are short-lived", notOurs(PROVIDER)),
      must("others", "refresh tokens of public clients are rotated", notOurs(PROVIDER)),
    ],
    "Communication Security": [
      must("both", "nothing goes in the clear", noClear, settingsRefused, refused),
      must("others", "authorization servers are spoken to by https: no other is", refused, noClear),
      must(
        "client",
        "people come back to this machine or to https",
        back,
        clientAuthOptions("A person comes back > to %s"),
      ),
    ],
    "Authorization Code Protection": [
      must("client", "PKCE is used", asksForThis, wayIn),
      must("client", "that it is supported is found out first", refused),
      must("client", "its method is S256", asksForThis, refused),
      must("client", "that it is supported is what the metadata say", refused, openId),
      must("client", "without a word of it in OAuth's metadata nobody goes on", refused),
      must("client", "it is looked for in OpenID Connect's metadata too", openId),
      must("client", "without a word of it there nobody goes on", openId),
      must("others", "OpenID Connect's metadata say it", notOurs(PROVIDER)),
    ],
    "Open Redirection": [
      must(
        "client",
        "redirect URIs are registered",
        clientFlow(
          "A client that is refused > registers anew where the person comes back elsewhere",
        ),
        told(DOCS, "with `client_id`, `client_name` and\n   `redirect_uris`"),
      ),
      must("others", "redirect URIs are matched exactly", notOurs(PROVIDER)),
      should(
        "client",
        "state is sent, and a response without it is dropped",
        asksForThis,
        response,
        loopback("turns away who is not expected, and goes on waiting for who is"),
      ),
      must("others", "nobody is redirected to untrusted places", notOurs(PROVIDER)),
      should("others", "without asking only to trusted ones", notOurs(PROVIDER)),
    ],
    "Client ID Metadata Document Security": [
      must("others", "the draft's security considerations are considered", notOurs(PROVIDER)),
    ],
    "Authorization Server Abuse Protection": [
      should("others", "fetching documents can be abused, and is guarded", notOurs(PROVIDER)),
    ],
    "Localhost Redirect URI Risks": [
      should("others", "people are warned of redirects to their own machine", notOurs(PROVIDER)),
      must("others", "the host they go back to is shown", notOurs(PROVIDER)),
    ],
    "Confused Deputy Problem": [
      must(
        "others",
        "a proxy with one client id asks for consent for each client",
        notOurs(
          "it binds proxies before other authorization servers; Parley issues and relays none",
        ),
      ),
    ],
    "Access Token Privilege Restriction": [
      must("server", "a token is judged before the request is run", refusedToken, forAnother),
      must("server", "as OAuth 2.1 says", audience, expired),
      must("server", "tokens for this server alone are taken", forAnother, audience),
      must(
        "server",
        "a token without it in its audience is refused",
        forAnother,
        audience,
        authSettings("An audience > is the resource, whichever way a client spells its origin"),
      ),
      mustNot(
        "author",
        "a client's token is not passed on",
        told(DOCS, "a token for your server is not one for another's API."),
        notOurs("what a tool sends to another's API is its author's; Parley passes nothing on"),
      ),
      must(
        "client",
        "resource indicators are used",
        asksForThis,
        wayIn,
        referee("client", "auth/resource-mismatch"),
      ),
    ],
  },
};
