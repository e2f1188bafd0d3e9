import { elicitation } from "./elicitation.js";
import {
  answers,
  canaries,
  capabilities,
  flows,
  input,
  limits,
  otel,
  replayed,
  rounds,
  sampling,
} from "./files.js";
import {
  type Page,
  also,
  must,
  mustNot,
  notFollowed,
  notOurs,
  should,
  shouldNot,
} from "./requirement.js";

const DEPRECATED =
  "the revision still carries it, and deprecates it: it is there for those who need it, marked as deprecated wherever it shows";
const HOST_ASKS =
  "the host's function gives the answer: what people see before it does is the host's to make";
const AUTHORS = "what a server asks for, and where it sends people, is its author's to say";

const roots: Page = {
  path: "client/roots",
  keyWords: { MUST: 3, SHOULD: 4, "SHOULD NOT": 1 },
  sections: {
    "": [
      shouldNot("both", "roots are not taken up anew", notFollowed(DEPRECATED)),
      should("both", "arguments take their place", notFollowed(DEPRECATED)),
    ],
    Capabilities: [
      must(
        "client",
        "who lists roots declares them, each time",
        answers("what a client declares > %s"),
      ),
    ],
    Root: [
      must(
        "client",
        "a root is a file: URI",
        input("readInputResponses > refuses %j, and says which it was"),
        answers("accepted content > and so is a model's answer that is none, and a list of roots"),
      ),
    ],
    "Security Considerations": [
      must("host", "roots are those people may reach, checked and watched", notOurs(HOST_ASKS)),
      should("author", "a server stays within them, and does without", notOurs(AUTHORS)),
    ],
    "Implementation Guidelines": [
      should("host", "people agree to roots, and manage them", notOurs(HOST_ASKS)),
      should(
        "server",
        "nobody is asked who has none",
        flows("%s > %s > names exactly what the client has not declared, and does nothing"),
        capabilities("missingCapabilities > %s"),
      ),
      also(should)("author", "roots are kept to and remembered", notOurs(AUTHORS)),
    ],
  },
};

const samplingPage: Page = {
  path: "client/sampling",
  keyWords: { MUST: 9, "MUST NOT": 2, SHOULD: 9, "SHOULD NOT": 3 },
  sections: {
    "": [
      shouldNot("both", "sampling is not taken up anew", notFollowed(DEPRECATED)),
      should("both", "a model's own API takes its place", notFollowed(DEPRECATED)),
    ],
    "User Interaction Model": [
      should("host", "a person can always say no", notOurs(HOST_ASKS)),
      should("host", "prompts and answers can be seen and changed", notOurs(HOST_ASKS)),
    ],
    "Tools in Sampling": [
      must(
        "client",
        "who lets a model use tools declares it",
        answers("what a client declares > %s"),
      ),
      mustNot(
        "server",
        "nobody else is asked with tools",
        sampling("a sample > with %s goes to no client that has not declared that"),
        capabilities("missingCapabilities > %s"),
      ),
    ],
    Capabilities: [
      must(
        "client",
        "who asks a model declares it, each time",
        answers("what a client declares > %s"),
      ),
      should("author", "context of servers is not asked for", notOurs(AUTHORS)),
      shouldNot(
        "server",
        "and never of who has not declared it",
        sampling("a sample > with %s goes to no client that has not declared that"),
        capabilities("requiredBy > says what %s needs"),
      ),
    ],
    "Tool Result Messages": [
      must(
        "server",
        "a message with results has nothing else",
        sampling("a sample > is refused with %s"),
        input("readInputRequests > refuses %j, and says which it was"),
      ),
    ],
    "Tool Use and Result Balance": [
      must(
        "server",
        "uses are answered at once, all of them",
        sampling("a sample > is refused with %s"),
        input("readInputRequests > takes a tool use that is answered at once and completely"),
      ),
    ],
    "Tool Choice Modes": [
      must(
        "host",
        "a model that has to use a tool does",
        notOurs("it binds the host's model, which Parley never calls itself"),
      ),
      mustNot(
        "host",
        "one that must not does not",
        notOurs("it binds the host's model, which Parley never calls itself"),
      ),
    ],
    Messages: [
      must(
        "server",
        "a message has a role and content",
        sampling("a sample > is refused with %s"),
        input("readInputRequests > refuses %j, and says which it was"),
      ),
      shouldNot(
        "client",
        "messages are not kept from one request to the next",
        rounds("concurrent calls, lists and reads share nothing"),
        notOurs("what a host keeps of what its functions were asked is the host's"),
      ),
    ],
    "Sampling Parameters": [
      must(
        "host",
        "no more tokens than asked for",
        notOurs("it binds the host's model, which Parley never calls itself"),
      ),
    ],
    "Security Considerations": [
      should("host", "people approve", notOurs(HOST_ASKS)),
      should(
        "both",
        "messages are checked",
        input("readInputRequests > refuses %j, and says which it was"),
        input("readInputResponses > refuses %j, and says which it was"),
        answers("accepted content > and so is a model's answer that is none, and a list of roots"),
      ),
      should(
        "host",
        "preferences for models count",
        notOurs("it binds the host's model, which Parley never calls itself"),
      ),
      should(
        "host",
        "a server cannot sample without end",
        limits(
          "an endless questioner is stopped after the rounds that are allowed, with the flow in hand",
        ),
        notOurs("how often a model may be asked altogether is the host's to say"),
      ),
      must(
        "both",
        "what is sensitive stays where it belongs",
        canaries(
          "no answer, argument, memo, effect, principal or error is found where others can look",
        ),
        otel("a flow > tells nothing of what was sent, answered or given"),
      ),
      must(
        "server",
        "each use of a tool is answered under its id",
        sampling("a sample > is refused with %s"),
        sampling("a sample > is asked with %s"),
      ),
      should(
        "both",
        "loops have an end",
        limits(
          "an endless questioner is stopped after the rounds that are allowed, with the flow in hand",
        ),
        replayed(
          "a state that was kept for later > is not kept alive past the flow's deadline by renewing it",
        ),
      ),
    ],
  },
};

/** The pages `client/*`. */
export const client: readonly Page[] = [elicitation, roots, samplingPage];
