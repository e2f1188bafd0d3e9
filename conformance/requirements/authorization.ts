import { authorizationSecurity } from "./authorization-security.js";
import { authorizationServerDiscovery } from "./authorization-server-discovery.js";
import { clientRegistration } from "./client-registration.js";
import {
  authFlows,
  authMetadata,
  authSettings,
  authorized,
  challenges,
  clientAuthHttp,
  clientFlow,
  clientHostile,
  clientIssuer,
  clientTokens,
  identify,
  migration,
  officialClient,
  register,
  renewal,
  scopes,
  stepUp,
  tokens,
  widerResource,
} from "./files.js";
import {
  type Page,
  must,
  mustNot,
  notOurs,
  referee,
  should,
  shouldNot,
  told,
} from "./requirement.js";

const PROVIDER = "it binds authorization servers; Parley is none";
const LATER =
  "it tells what a later revision may ask of authorization servers, and asks nothing yet";
const DOCS = "docs/authorization.md";

// the server
const byOfficialClient = officialClient(
  "discovers the provider, gets a token, and steps up for a tool that needs more",
);
const served = authMetadata(
  "Metadata by %s > are at the resource's own place and at the origin's, and nowhere else",
);
const toldWhatToAsk = challenges(
  "A challenge through %s > to who shows no token says where the metadata is and what to ask for, and names no error",
);
const lackingScopes = challenges(
  "A challenge through %s > to who lacks a tool's scopes is a 403 that names all of them, and the tool does not run",
);
const allNamed = challenges(
  "A challenge > names the scopes that every request needs with those of the tool",
);
const lackingFirst = challenges(
  "A challenge > comes before everything where a scope is lacking that every request needs",
);
const refusedToken = tokens(
  "A token through %s > that is refused runs nothing, and is told nothing but that",
);
const forAnother = tokens("A token > of the same provider for another server is refused");
const stranger = tokens(
  "A token > of a provider nobody trusts is refused, and the provider not asked",
);
const claims = tokens("A token > with %s is refused");
const expired = tokens(
  "A token > is taken until it has expired, and for as long again as clocks may be apart",
);
const malformed = tokens("A token > written as %s is a malformed request");
const headerAlone = tokens(
  "A token > is looked for in the header alone: not in the query, a cookie or a form",
);
const settingsRefused = authSettings("Settings that can't be meant are refused > %s: %j");

// the client
const wayIn = clientFlow(
  "A client that is refused > finds the authorization server, registers itself, has the person consent, and is let in",
);
const asksForThis = clientFlow(
  "A client that is refused > asks for a code with everything the specification wants in it",
);
const response = clientHostile("A response goes to no token endpoint > %s");
const unannounced = clientHostile(
  "A response goes to no token endpoint > that has an issuer where none was announced, and it is another's",
);
const granted = stepUp(
  "A request that needs more scopes > is repeated once the person has granted them, with those they had granted before",
);
const notAgain = stepUp(
  "A request that needs more scopes > is refused where the person does not grant them, and they are not asked again and again",
);
const renewed = renewal(
  "An access token > is renewed before it ends, for this server, and each refresh token is used once",
);
const anyName = widerResource("a token for %s may be sent to the endpoint, where %s says so");
const everyRequest = clientTokens(
  "an access token is shown in the header of every request, and in nothing else of it",
);
const fromChallenge = referee("client", "auth/scope-from-www-authenticate");

/** The page `basic/authorization`. */
const overview: Page = {
  path: "basic/authorization",
  keyWords: { MUST: 30, "MUST NOT": 7, SHOULD: 22, "SHOULD NOT": 2 },
  sections: {
    "Protocol Requirements": [
      should("both", "over HTTP, authorization is as this page says", byOfficialClient, wayIn),
      shouldNot(
        "both",
        "over stdio it is not: who calls is whoever started the process",
        told(
          DOCS,
          "Over stdio the caller is whoever started the process, and none of this applies.",
        ),
      ),
      must(
        "others",
        "other transports keep to what is good practice with them",
        notOurs("it binds who makes a transport of another kind; Parley has these two alone"),
      ),
    ],
    Overview: [
      must("others", "authorization servers do OAuth 2.1", notOurs(PROVIDER)),
      should(
        "client",
        "metadata documents of clients are supported",
        clientFlow("A client is known > by its metadata document, before it registers itself"),
        referee("client", "auth/basic-cimd"),
      ),
      must("server", "protected resource metadata are there", served, byOfficialClient),
      must(
        "client",
        "they are how the authorization server is found",
        wayIn,
        referee("client", "auth/metadata-default"),
      ),
      must("others", "authorization servers have metadata", notOurs(PROVIDER)),
      must(
        "client",
        "metadata of OAuth and of OpenID Connect are understood",
        wayIn,
        clientIssuer(
          "An authorization server that has OpenID Connect's metadata alone > is gone to",
        ),
        referee("client", "auth/metadata-var1"),
        referee("client", "auth/metadata-var2"),
        referee("client", "auth/metadata-var3"),
      ),
    ],
    "Authorization Server Discovery": [
      must("both", "the page on discovery is kept to", byOfficialClient, wayIn),
    ],
    "Client Registration": [
      must(
        "client",
        "a client is known in one of three ways before it asks for anything",
        identify("A client that may be known in every way > is %s: %s"),
        clientFlow("A client is known > as it was registered beforehand: %s by %s"),
      ),
    ],
    "Scope Selection Strategy": [
      should("server", "a challenge names the scopes to ask for", toldWhatToAsk, lackingScopes),
      mustNot("client", "they need not be among those the metadata name", granted, fromChallenge),
      must("client", "they are what the request needs", granted, fromChallenge),
      should(
        "client",
        "they are asked for with those granted before",
        granted,
        referee("client", "auth/scope-step-up"),
      ),
      should("server", "scopes are put together in one way", allNamed, lackingFirst),
      should("client", "no more scopes are asked for than are needed", granted, fromChallenge),
      should(
        "client",
        "the challenge's scopes, else the metadata's, else none",
        fromChallenge,
        referee("client", "auth/scope-from-scopes-supported"),
        referee("client", "auth/scope-omitted-when-undefined"),
      ),
    ],
    "Authorization Response Validation": [
      must(
        "client",
        "the issuer that a response is held against is of checked metadata and of this one request",
        response,
        clientHostile("Nobody is sent anywhere, and no code is asked for, where > %s"),
      ),
      should("others", "authorization servers name themselves in responses", notOurs(PROVIDER)),
      must("others", "and announce that they do", notOurs(PROVIDER)),
      must(
        "client",
        "a response is judged by its issuer before its code goes anywhere",
        response,
        unannounced,
        referee("client", "auth/iss-supported"),
        referee("client", "auth/iss-not-advertised"),
        referee("client", "auth/iss-supported-missing"),
        referee("client", "auth/iss-wrong-issuer"),
        referee("client", "auth/iss-unexpected"),
      ),
      should("others", "what is a SHOULD for authorization servers …", notOurs(LATER)),
      must("others", "… is to become a MUST", notOurs(LATER)),
      mustNot(
        "client",
        "issuers are compared as they are, never normalized",
        response,
        referee("client", "auth/iss-normalized"),
      ),
      mustNot(
        "client",
        "of an error in another's name nothing is used or shown",
        clientHostile(
          "A response goes to no token endpoint > whose issuer is another's, and nothing of the error in it is shown",
        ),
      ),
    ],
    "Resource Parameter Implementation": [
      must("client", "resource indicators are used", asksForThis, wayIn),
      must("client", "in both requests, and where a token is renewed", asksForThis, wayIn, renewed),
      must(
        "client",
        "they name the server the token is for",
        asksForThis,
        wayIn,
        referee("client", "auth/resource-mismatch"),
      ),
      must("client", "by its canonical URI", asksForThis, anyName),
    ],
    "Canonical Server URI": [
      should(
        "client",
        "the most specific URI is used: the one the server gives itself, which covers its endpoint",
        anyName,
        asksForThis,
      ),
      should(
        "both",
        "upper case in scheme and host does not matter",
        anyName,
        authSettings("An audience > is the resource, whichever way a client spells its origin"),
      ),
      should(
        "both",
        "no slash is put at the end",
        authMetadata("Metadata of a server at the root are in one place"),
        anyName,
      ),
      must(
        "client",
        "the parameter is sent whatever the authorization server supports",
        asksForThis,
        wayIn,
      ),
    ],
    "Token Requirements": [
      must("both", "tokens are handled as OAuth 2.1 says", everyRequest, headerAlone),
      must("client", "a token is in the Authorization header", everyRequest),
      must(
        "client",
        "of every request",
        everyRequest,
        challenges("A caller without a token > is refused by default, whatever it asks for"),
      ),
      mustNot("both", "and never in the query", everyRequest, headerAlone),
    ],
    "Token Handling": [
      must("server", "tokens are validated as OAuth 2.1 says", claims, expired, refusedToken),
      must("server", "for this server as their audience", forAnother, claims),
      must("server", "and refused as it says", refusedToken, malformed, lackingScopes),
      must("server", "with 401 where they are invalid or have expired", refusedToken, expired),
      mustNot(
        "client",
        "a server is shown tokens of its own authorization server alone",
        migration("gets a client that registers there, and nothing of what was the old one's"),
        referee("client", "auth/authorization-server-migration"),
      ),
      must(
        "server",
        "tokens that are good for this server are taken",
        forAnother,
        claims,
        stranger,
      ),
      mustNot(
        "server",
        "and no others, nor are any passed on",
        forAnother,
        stranger,
        told(DOCS, "a token for your server is not one for another's API."),
      ),
    ],
    "Refresh Tokens": [
      must(
        "client",
        "refresh tokens are kept confidential",
        clientFlow("Tokens > are in nothing that is printed: client, authorization, store"),
        clientAuthHttp("A request of an authorization > may not go to %s for a server elsewhere"),
        authorized(
          "signs a person in once, and keeps what it was given where nobody else reads it",
        ),
      ),
      should(
        "client",
        "who wants them says so in registering",
        register("A client that registers itself > says that it uses refresh tokens"),
      ),
      mustNot(
        "client",
        "that there are any is not taken for granted",
        clientTokens(
          "where no refresh token is given, the person is asked again once the access token is refused",
        ),
        referee("client", "auth/offline-access-not-supported"),
      ),
      shouldNot(
        "server",
        "offline_access is in no challenge and no metadata of a server",
        settingsRefused,
        scopes("%j is no scope"),
      ),
    ],
    "Error Handling": [
      must(
        "server",
        "401, 403 and 400 are told apart",
        toldWhatToAsk,
        refusedToken,
        lackingScopes,
        malformed,
      ),
    ],
    "Runtime Insufficient Scope Errors": [
      should("server", "too few scopes are 403, with a challenge that says it all", lackingScopes),
      should("server", "which names the scopes that are needed", lackingScopes, lackingFirst),
      should("server", "all of them at once", lackingScopes, allNamed),
      should("server", "always in the same way", allNamed, lackingScopes),
      should(
        "server",
        "with thought for whom it is asked of",
        allNamed,
        authFlows(
          "A flow through %s > stops with a challenge where the new token is granted less, and goes on once it is granted enough",
        ),
        told(
          DOCS,
          "are needed by every request, and clients ask for them from the start. Keep\n  them few.",
        ),
      ),
    ],
    "Step-Up Authorization Flow": [
      should("client", "a lack of scopes leads to a wider token", granted),
      should(
        "client",
        "for a person, by asking them",
        granted,
        referee("client", "auth/scope-step-up"),
      ),
      should(
        "client",
        "retries have a limit",
        notAgain,
        referee("client", "auth/scope-retry-limit"),
      ),
      should(
        "client",
        "what was asked for in vain is not asked for again: by scopes, whatever needs them",
        notAgain,
      ),
      must(
        "server",
        "broader scopes imply narrower ones",
        challenges("A challenge > is not due where a broader scope implies what is needed"),
        tokens("A token > has the scopes of scope or scp, and those that they imply"),
      ),
    ],
    "Security Considerations": [
      must(
        "both",
        "the page on security is kept to",
        settingsRefused,
        clientHostile("Nobody is sent anywhere, and no code is asked for, where > %s"),
      ),
    ],
  },
};

/** The page `basic/authorization` and those under it. */
export const authorization: readonly Page[] = [
  overview,
  authorizationServerDiscovery,
  clientRegistration,
  authorizationSecurity,
];
