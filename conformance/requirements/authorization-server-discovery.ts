import {
  authDiscovery,
  authMetadata,
  authSettings,
  challenges,
  clientChallenge,
  clientFlow,
  clientHostile,
  clientIssuer,
  migration,
  resource,
  widerResource,
} from "./files.js";
import { type Page, must, mustNot, referee } from "./requirement.js";

const served = authMetadata(
  "Metadata by %s > are at the resource's own place and at the origin's, and nowhere else",
);
const anotherServers = clientFlow(
  "A client is known > by nothing where what it has is another server's: nothing of it is sent",
);
const movedOn = migration(
  "gets a client that registers there, and nothing of what was the old one's",
);
const lookedFor = resource("A server's metadata > are looked for %s");
const whereTold = widerResource("the address in a challenge is the only one asked");
const wellKnown = widerResource(
  "without one the well-known places are: the endpoint's own, then the origin's",
);
const found = clientIssuer(
  "An authorization server's metadata > are found at %s, after the places before it",
);
const anothers = clientIssuer(
  "An authorization server's metadata > at %s that are another's are not used",
);
const refused = clientHostile("Nobody is sent anywhere, and no code is asked for, where > %s");
const mismatch = referee("client", "auth/metadata-issuer-mismatch");

/** The page `basic/authorization/authorization-server-discovery`. */
export const authorizationServerDiscovery: Page = {
  path: "basic/authorization/authorization-server-discovery",
  keyWords: { MUST: 13, "MUST NOT": 2 },
  sections: {
    "Authorization Server Location": [
      must("server", "protected resource metadata are there", served),
      must(
        "server",
        "they name at least one authorization server",
        served,
        authSettings("Settings that can't be meant are refused > %s: %j"),
      ),
      must(
        "client",
        "what is known of each authorization server is kept apart",
        movedOn,
        migration("is gone back from: what the first one gave is still known there"),
        referee("client", "auth/authorization-server-migration"),
      ),
      mustNot("client", "credentials of one are not shown to another", anotherServers, movedOn),
    ],
    "Protected Resource Metadata Discovery Requirements": [
      must(
        "server",
        "clients are told of the metadata by challenge or well-known place: here by both",
        challenges(
          "A challenge through %s > to who shows no token says where the metadata is and what to ask for, and names no error",
        ),
        served,
      ),
      must(
        "client",
        "both ways are known, and the challenge's address comes first",
        lookedFor,
        whereTold,
        referee("client", "auth/metadata-default"),
      ),
      must(
        "client",
        "without an address the well-known places are asked, the path's before the root's",
        wellKnown,
        referee("client", "auth/metadata-var1"),
        referee("client", "auth/metadata-var2"),
        referee("client", "auth/metadata-var3"),
      ),
      must(
        "client",
        "challenges are read, and a 401 is seen to",
        clientChallenge("a challenge is read: %s"),
        clientChallenge("any header at all is read without failing"),
        clientFlow(
          "A client that is refused > finds the authorization server, registers itself, has the person consent, and is let in",
        ),
      ),
    ],
    "Authorization Server Metadata Discovery": [
      must(
        "client",
        "an authorization server's metadata are looked for at several places",
        found,
        referee("client", "auth/metadata-var1"),
        referee("client", "auth/metadata-var2"),
        referee("client", "auth/metadata-var3"),
      ),
      must(
        "client",
        "of an issuer with a path: OAuth's, OpenID's, then OpenID's appended",
        found,
        authSettings("Metadata are looked for in the order of the specification"),
      ),
      must(
        "client",
        "of one without: OAuth's, then OpenID's",
        found,
        authSettings("Metadata are looked for in the order of the specification"),
      ),
      must("client", "what was found is checked", anothers, refused, mismatch),
      must(
        "client",
        "its issuer is the one that was asked, to the letter",
        refused,
        mismatch,
        authDiscovery("What a provider serves is not believed > %s"),
      ),
      mustNot("client", "metadata of another are not used", anothers, refused, mismatch),
      must("client", "metadata in an honest server's name are rejected", anothers, mismatch),
    ],
  },
};
