import {
  cache,
  cacheSharing,
  clientLists,
  envelope,
  fieldServer,
  flows,
  http,
  listeners,
  lists,
  offers,
  otel,
  rateLimit,
  serverErrors,
  shown,
  stdio,
} from "./files.js";
import {
  type Page,
  also,
  must,
  mustNot,
  notFollowed,
  notOurs,
  referee,
  should,
  shouldNot,
  told,
} from "./requirement.js";

const AUTHORS = "what is said, and how often, is for whoever writes the handler";
const DEPRECATED =
  "the revision still carries it, and deprecates it: it is there for those who need it, marked as deprecated wherever it shows";

const hasEnvelope = envelope(
  "every request > carries the revision, the client's name and what it can do",
);
const declares = offers("what a server declares > is %s once it has some, and not before");
const notKept = cache("%s > is not kept with a time of %s");
const keptWhileFresh = cache(
  "%s > is asked for once while it is fresh, and again when it is stale",
);
const hidden = lists(
  "what not everyone sees > is not listed, and does not exist for who may not see it",
);
const neverPublic = shown(
  "cache hints > are on a read as its resource says, and never public where not everyone may read",
);
const pagesPrivate = offers("what not everyone sees > makes every page of its list private");
const cursorDropped = cache(
  "a kept result > that leads to a cursor the server no longer knows is dropped with all pages",
);
const clientsWrong = serverErrors("what a client got wrong is invalid params > %s");

const caching: Page = {
  path: "server/utilities/caching",
  keyWords: { MUST: 7, "MUST NOT": 4, SHOULD: 8, "SHOULD NOT": 1 },
  sections: {
    "Cacheable Results": [
      must(
        "server",
        "what can be kept says how long",
        fieldServer("shapes > %s has resultType, ttlMs and cacheScope"),
        referee("server", "caching"),
      ),
    ],
    "Cache Key": [
      mustNot(
        "client",
        "another request does not get it",
        cache("a kept result > answers the same request only"),
      ),
      mustNot(
        "client",
        "what a retry came to is not kept",
        cache("a resource that was read in several rounds > is never kept, with %s"),
        shown(
          "cache hints > forbid keeping a read that was answered for, and are not on a question",
        ),
      ),
    ],
    "Time-to-Live (TTL) Field": [
      should("client", "0 is stale at once", notKept),
      should("client", "for so long it is fresh", keptWhileFresh),
      should("client", "no time is 0", notKept),
      should("client", "less than 0 is 0", notKept),
      must("server", "a time is never less than 0", shown("cache hints > that say %o are refused")),
    ],
    "Freshness Calculation": [
      should("client", "what is stale is asked for when it is needed", keptWhileFresh),
      shouldNot("client", "and not before", keptWhileFresh),
      must(
        "client",
        "who polls does so with jitter",
        notOurs("the client never polls: it asks when somebody wants to know"),
      ),
    ],
    "Cache Scope Field": [
      mustNot(
        "client",
        "what is private stays with its credentials",
        cacheSharing("clients that share a cache over %s > share nothing that is %s"),
        cacheSharing(
          "whoever asks, in whatever order, a private result is only ever its own client's",
        ),
        cacheSharing("credentials that change find nothing that was private to others"),
      ),
    ],
    "Interaction with Pagination": [
      should(
        "client",
        "a page that is stale is asked for by its cursor",
        cache("a kept result > is a page, kept on its own"),
        keptWhileFresh,
      ),
      should(
        "client",
        "who wants all of a list at one time begins anew",
        cache("%s > can be asked for anew, and what comes takes the old one's place"),
      ),
      should(
        "client",
        "a cursor that is refused drops all pages",
        cursorDropped,
        clientLists("a list > is read once more from its beginning where a cursor is refused"),
      ),
      must("server", "all pages of a list have one scope", pagesPrivate),
      must("server", "private once, private throughout", pagesPrivate),
    ],
    "Security Considerations": [
      must(
        "server",
        "what is public is for everyone",
        neverPublic,
        lists("what not everyone sees > makes its list private, whatever the hints say"),
      ),
      must("server", "access is looked at for each thing", hidden),
      mustNot("server", "and never left to the scope", hidden),
    ],
  },
};

const completion: Page = {
  path: "server/utilities/completion",
  keyWords: { MUST: 3, SHOULD: 3 },
  sections: {
    "": [must("client", "every request carries the required metadata", hasEnvelope)],
    Capabilities: [must("server", "who completes declares it", declares)],
    "Error Handling": [
      should(
        "server",
        "failures have JSON-RPC's codes",
        clientsWrong,
        lists("completion > refuses %s"),
      ),
    ],
    "Implementation Considerations": [
      should("author", "suggestions are sorted, and near misses found", notOurs(AUTHORS)),
      also(should)(
        "server",
        "requests can be limited",
        rateLimit("a rate limit > is told who asks for what, and whether a flow is carried on"),
      ),
      also(should)("server", "and are checked", lists("completion > refuses %s")),
      should(
        "host",
        "typing asks now and then, not at each key",
        notOurs("when to ask is the host's: the client asks when it is told to"),
      ),
      also(should)(
        "client",
        "few suggestions, or none, are no error",
        clientLists("a completion > is asked for by what has been typed"),
        clientLists("a completion > that is none (%j) is not valid"),
      ),
    ],
    Security: [
      must("server", "requests are checked", lists("completion > refuses %s"), clientsWrong),
      also(must)(
        "server",
        "they can be limited",
        rateLimit("a rate limit > that refuses %s is an error, and nothing runs"),
      ),
      also(must)(
        "server",
        "nobody is suggested what they may not see",
        offers("what not everyone sees > is not completed for who may not see it"),
      ),
    ],
  },
};

const logging: Page = {
  path: "server/utilities/logging",
  keyWords: { MUST: 1, "MUST NOT": 3, SHOULD: 4, "SHOULD NOT": 1 },
  sections: {
    "": [
      shouldNot("both", "logging is not taken up anew", notFollowed(DEPRECATED)),
      should(
        "server",
        "traces take its place",
        otel("a flow > is one trace, a span for each round, on whichever instance"),
        told(
          "docs/server.md",
          "The revision\n  deprecates logging to clients; prefer [traces](tracing.md)",
        ),
      ),
    ],
    Capabilities: [must("server", "who logs to clients declares it", declares)],
    "Per-request log level": [
      mustNot(
        "server",
        "nobody is sent logs who did not ask",
        shown("on the request's own stream > nothing is said that was not asked for"),
      ),
      mustNot(
        "server",
        "and on no stream but the request's own",
        offers("a subscription carries no log messages, whatever level it names"),
        flows("%s > %s > reports progress and logs on the request's own stream, to who asked"),
      ),
    ],
    "Error Handling": [
      should(
        "server",
        "a level that is none is refused",
        shown("on the request's own stream > a level that is none is refused"),
      ),
    ],
    "Implementation Considerations": [
      should(
        "server",
        "logs do not flood",
        stdio(
          "a client that does not read > is not buried in notifications, and still gets its reply",
        ),
        http("over %s > a stream > that nobody reads is cut off, and its request aborted"),
      ),
      also(should)(
        "author",
        "they say what matters, under names that stay, and no secrets",
        notOurs(AUTHORS),
      ),
    ],
    Security: [
      mustNot(
        "author",
        "secrets, people and insides are not in them",
        flows("%s > %s > tells a handler's error to nobody, unless it is meant for the user"),
        notOurs("Parley itself sends clients no log messages: each is one its author wrote"),
      ),
      should(
        "server",
        "they are bounded, whole, and sent to who asked",
        shown(
          "on the request's own stream > logs are as grave as the request wants them, and whole",
        ),
        listeners("over %s > log messages are asked for by level, and given to the listener"),
      ),
    ],
  },
};

const pagination: Page = {
  path: "server/utilities/pagination",
  keyWords: { MUST: 2, "MUST NOT": 2, SHOULD: 3 },
  sections: {
    "": [must("client", "every request carries the required metadata", hasEnvelope)],
    "Pagination Model": [
      mustNot(
        "client",
        "pages are of any size",
        clientLists("a list > gives all its items, page by page"),
      ),
    ],
    "Implementation Guidelines": [
      should(
        "server",
        "cursors stay good, and bad ones do no harm",
        lists("pages > gives pages in the order things were added, the last without a cursor"),
        lists("pages > refuses the cursor %j, which is none of its own"),
      ),
      should(
        "client",
        "a list ends where no cursor leads on, be it one page or many",
        clientLists("a list > ends at a null cursor"),
        clientLists("a list > gives all its items, page by page"),
      ),
      must(
        "client",
        "nothing is read into a cursor",
        clientLists("a list > may give the same cursor twice: what it means is the server's alone"),
        clientLists("a list > gives all its items, page by page"),
      ),
      mustNot(
        "client",
        "an empty one leads on, too",
        clientLists("a list > gives all its items, page by page"),
      ),
    ],
    "Error Handling": [
      should(
        "server",
        "a bad cursor is invalid params",
        lists("pages > refuses the cursor %j, which is none of its own"),
      ),
    ],
  },
};

/** The pages `server/utilities/*`. */
export const serverUtilities: readonly Page[] = [caching, completion, logging, pagination];
