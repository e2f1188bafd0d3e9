import {
  classify,
  clientStdio,
  connecting,
  envelope,
  fieldServer,
  serverErrors,
  shapes,
  stateless,
} from "./files.js";
import { type Page, must, notOurs, referee, should } from "./requirement.js";

/** The page `basic/versioning`. */
export const versioning: Page = {
  path: "basic/versioning",
  keyWords: { MUST: 4, SHOULD: 5 },
  sections: {
    "Protocol Version Negotiation": [
      must(
        "server",
        "another revision is refused with those that are spoken",
        serverErrors("another revision is refused with those that are spoken, over %s"),
        referee("server", "server-stateless"),
      ),
      should(
        "client",
        "a client goes on with a revision both speak, or says there is none",
        connecting(
          "a server that refuses the revision > and yet lists it is asked once more, under another id",
        ),
        connecting(
          "a server that refuses the revision > and lists others is named with what it speaks",
        ),
      ),
      must(
        "server",
        "servers answer a discovery",
        referee("server", "server-stateless"),
        referee("server", "caching"),
      ),
    ],
    "Extension Negotiation": [
      must(
        "both",
        "extensions go by names with a prefix",
        envelope("what a client declares > names its extensions with a prefix, or is refused"),
      ),
      must(
        "both",
        "without the other side's support the core protocol is spoken, or the request refused",
        classify("classify > takes an extension's result only where the client advertised it"),
        shapes("a result of an extension the client declared comes from begin()"),
      ),
      should(
        "others",
        "an extension says what happens without it",
        notOurs("it binds who writes an extension; Parley defines none"),
      ),
    ],
    "Backward Compatibility with Initialization-Based Versions": [
      should(
        "client",
        "what a server turned out to speak is remembered",
        connecting("connecting asks the server what it is"),
        envelope("over stdio, a discovery comes first, and once"),
      ),
      should(
        "server",
        "a handshake of old is refused with the revisions that are spoken",
        fieldServer("errors > an older client's handshake is told which revisions there are"),
        stateless("over %s > a handshake of old is told which revision this is"),
      ),
    ],
    "Compatibility Matrix": [
      should(
        "client",
        "over stdio, a discovery comes first",
        clientStdio("a server of an earlier revision > is told by its error (%s), and ended"),
        envelope("over stdio, a discovery comes first, and once"),
      ),
    ],
  },
};
