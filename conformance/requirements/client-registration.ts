import {
  clientAuthOptions,
  clientFlow,
  clientHostile,
  identify,
  migration,
  register,
} from "./files.js";
import { type Page, must, mustNot, notOurs, referee, should, told } from "./requirement.js";

const PROVIDER = "it binds authorization servers; Parley is none";
const DOCUMENT =
  "the document is the host's own and served by it; Parley never sees it, and docs/authorization.md tells what it holds";

const document = clientFlow(
  "A client is known > by its metadata document, before it registers itself",
);
const ways = identify("A client that may be known in every way > is %s: %s");
const beforehand = clientFlow("A client is known > as it was registered beforehand: %s by %s");
const kind = register("A client that registers itself > is a %s one where people come back to %s");
const registrationRefused = clientHostile(
  "Nobody is sent anywhere, and no code is asked for, where > the registration is refused: the reason is told, in one line",
);
const movedOn = migration(
  "gets a client that registers there, and nothing of what was the old one's",
);
const toldOfMove = migration(
  "is told to a host whose client is known to the old one alone; its secret goes nowhere",
);
const documentTold = told(
  "docs/authorization.md",
  "Serve it at that very URL, with `client_id`, `client_name` and\n   `redirect_uris`",
);

/** The page `basic/authorization/client-registration`. */
export const clientRegistration: Page = {
  path: "basic/authorization/client-registration",
  keyWords: { MUST: 12, "MUST NOT": 1, SHOULD: 11 },
  sections: {
    "": [
      should(
        "client",
        "registered beforehand, then by document, then by registering; else the user is asked",
        ways,
        told("docs/authorization.md", "Of these, the first that fits is taken"),
      ),
    ],
    "Client ID Metadata Documents": [
      should(
        "client",
        "metadata documents are supported",
        document,
        referee("client", "auth/basic-cimd"),
      ),
    ],
    "Implementation Requirements": [
      must("client", "as their draft says", document, referee("client", "auth/basic-cimd")),
      must("host", "the document is hosted at an https URL", documentTold, notOurs(DOCUMENT)),
      must(
        "client",
        "its URL is https and has a path",
        clientAuthOptions("A client's document > and not at %j"),
      ),
      must("host", "the document has client_id, client_name and redirect_uris", documentTold),
      must("host", "its client_id is its very URL", documentTold),
      should("others", "documents are fetched where a client_id is a URL", notOurs(PROVIDER)),
      must("others", "a fetched document's client_id is its URL", notOurs(PROVIDER)),
      should("others", "documents are cached as their headers say", notOurs(PROVIDER)),
      must("others", "redirect URIs are those of the document", notOurs(PROVIDER)),
      must("others", "a document is JSON with what it needs", notOurs(PROVIDER)),
      should("others", "the draft's security considerations are followed", notOurs(PROVIDER)),
    ],
    "Advertising CIMD Support": [
      should("client", "a document is used only where such are taken", ways),
    ],
    "Pre-registration": [
      should(
        "client",
        "credentials may be given beforehand",
        beforehand,
        referee("client", "auth/pre-registration"),
      ),
    ],
    "Application Type and Redirect URI Constraints": [
      must("client", "a client that registers says what kind it is", kind),
      should("client", "one on its user's machine is native", kind),
      should("client", "one on a host elsewhere is web", kind),
      must("client", "a registration may be refused", registrationRefused),
      should("client", "and the reason is told", registrationRefused),
    ],
    "Authorization Server Binding": [
      must(
        "client",
        "credentials belong to the issuer that gave them",
        clientFlow(
          "A client is known > by nothing where what it has is another server's: nothing of it is sent",
        ),
        movedOn,
        toldOfMove,
        referee("client", "auth/authorization-server-migration"),
      ),
      mustNot("client", "they are not used at another", movedOn, toldOfMove),
      must(
        "client",
        "and the client registers there anew",
        movedOn,
        referee("client", "auth/authorization-server-migration"),
      ),
      should("client", "a host whose client is known elsewhere alone is told", toldOfMove),
    ],
  },
};
