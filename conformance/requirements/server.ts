import {
  challenges,
  checkedOutputs,
  classify,
  cliCommand,
  clientLists,
  clientParamHeaders,
  connecting,
  envelope,
  flows,
  headerValues,
  jsonSchema,
  limited,
  lists,
  offers,
  paramHeaders,
  pending,
  rateLimit,
  requestFuzz,
  rounds,
  serverErrors,
  shapes,
  shown,
  shownSchemas,
  stateless,
  subscriptions,
  timeouts,
  toolHeaders,
} from "./files.js";
import {
  type Page,
  also,
  must,
  mustNot,
  notOurs,
  referee,
  should,
  shouldNot,
  told,
} from "./requirement.js";
import { serverUtilities } from "./server-utilities.js";

const HOSTS = "it binds the host: what its people see, agree to and keep";
const AUTHORS = "the words, media and addresses are those of whoever writes the handler";

const hasEnvelope = envelope(
  "every request > carries the revision, the client's name and what it can do",
);
const declares = offers("what a server declares > is %s once it has some, and not before");
const added = offers("a subscription hears of %s that are added");
const sameLists = stateless(
  "over %s > lists are the same on each connection, whatever was asked there before",
);
const hidden = lists(
  "what not everyone sees > is not listed, and does not exist for who may not see it",
);
const clientsWrong = serverErrors("what a client got wrong is invalid params > %s");
const ownFault = serverErrors("a handler's error > that was meant for nobody is an internal one");

const discover: Page = {
  path: "server/discover",
  keyWords: { MUST: 1, SHOULD: 2, "SHOULD NOT": 2 },
  sections: {
    "": [
      must("server", "servers answer a discovery", declares, referee("server", "server-stateless")),
    ],
    "When to Call": [
      should(
        "client",
        "over stdio, it comes first",
        envelope("over stdio, a discovery comes first, and once"),
      ),
    ],
    DiscoverResult: [
      should(
        "server",
        "servers name themselves",
        shown(
          "what a server says of what it offers reaches the client whole > of itself, in every result",
        ),
      ),
      shouldNot(
        "client",
        "what a server calls itself changes nothing",
        connecting("a server that keeps its name to itself has none"),
      ),
      shouldNot(
        "client",
        "nor is it relied on",
        pending("another server does not get it"),
        told("packages/mcp-parley/src/client/discover.ts", "for display, never for decisions"),
      ),
    ],
  },
};

const prompts: Page = {
  path: "server/prompts",
  keyWords: { MUST: 7, "MUST NOT": 1, SHOULD: 5 },
  sections: {
    "": [must("client", "every request carries the required metadata", hasEnvelope)],
    Capabilities: [
      must("server", "who has prompts declares them", declares),
      must("server", "and lists them", referee("server", "prompts-list"), hidden),
      mustNot(
        "server",
        "the list does not depend on the connection or what came before",
        sameLists,
      ),
    ],
    "List Changed Notification": [should("server", "changes are told to subscribers", added)],
    "Image Content": [
      must(
        "author",
        "pictures are base64, with their type",
        referee("server", "prompts-get-with-image"),
        notOurs(AUTHORS),
      ),
    ],
    "Audio Content": [must("author", "so is sound", notOurs(AUTHORS))],
    "Embedded Resources": [
      must(
        "author",
        "a resource has its URI, type and content",
        referee("server", "prompts-get-embedded-resource"),
        notOurs(AUTHORS),
      ),
    ],
    "Error Handling": [should("server", "failures have JSON-RPC's codes", clientsWrong, ownFault)],
    "Implementation Considerations": [
      should("server", "arguments are checked first", clientsWrong),
      should(
        "client",
        "lists of many pages are read",
        clientLists("a list > of %s is asked for by its method, and has to be one"),
        clientLists("a list > gives all its items, page by page"),
      ),
      should(
        "both",
        "what was not declared is not used",
        lists("methods of features a server has nothing of > %s is not found"),
        flows("%s > %s > names exactly what the client has not declared, and does nothing"),
      ),
    ],
    Security: [
      must(
        "both",
        "what goes in and comes out is checked",
        clientsWrong,
        classify(
          "classify > says exactly one thing about anything, the same each time, and never throws",
        ),
        requestFuzz("%s > with any one place replaced"),
      ),
    ],
  },
};

const resources: Page = {
  path: "server/resources",
  keyWords: { MUST: 8, "MUST NOT": 2, SHOULD: 7 },
  sections: {
    "": [must("client", "every request carries the required metadata", hasEnvelope)],
    Capabilities: [
      must("server", "who has resources declares them", declares),
      must("server", "and lists them", referee("server", "resources-list"), hidden),
      mustNot(
        "server",
        "the list does not depend on the connection or what came before",
        sameLists,
      ),
    ],
    "List Changed Notification": [should("server", "changes are told to subscribers", added)],
    "https://": [
      should("author", "https is for what clients can fetch themselves", notOurs(AUTHORS)),
      should("author", "for all else there are other schemes", notOurs(AUTHORS)),
    ],
    "Custom URI Schemes": [
      must("author", "a URI is one", offers("names > of resources are URIs, not %j")),
    ],
    "Error Handling": [
      must(
        "server",
        "what is not there is invalid params",
        clientsWrong,
        referee("server", "sep-2164-resource-not-found"),
      ),
      should("server", "the server's own failures are internal errors", ownFault),
      should(
        "client",
        "an older server's code for it is understood",
        shapes("errors of the server's > with status %i and code %i reach the caller as they are"),
      ),
      mustNot(
        "server",
        "what is not there is no empty list",
        offers("a resource without contents is an error, never an empty list"),
      ),
    ],
    "Security Considerations": [
      must(
        "server",
        "URIs are checked",
        clientsWrong,
        requestFuzz("%s > with any one place replaced"),
      ),
      should(
        "server",
        "not everyone reads everything",
        hidden,
        challenges(
          "A challenge through %s > to who lacks a tool's scopes is a 403 that names all of them, and the tool does not run",
        ),
      ),
      must(
        "author",
        "bytes are base64",
        referee("server", "resources-read-binary"),
        notOurs(AUTHORS),
      ),
      should("server", "who may read is looked at before anything is read", hidden),
      must(
        "author",
        "a path does not lead out of its folder",
        told("packages/mcp-parley/src/server/definitions.ts", "check one before it becomes a path"),
        notOurs(
          "what a URI stands for is the handler's; it is told that variables are a client's own words",
        ),
      ),
    ],
  },
};

const invalidTool = paramHeaders("what a schema mirrors > makes the tool invalid: %s");
const refusedTool = toolHeaders("a tool whose annotations are not valid is refused: %s");
const refusedName = toolHeaders("a tool whose name no header can carry is refused: %j");
const leftOut = clientParamHeaders(
  "a list of tools > leaves out those whose annotations are not valid, and says so",
);

const tools: Page = {
  path: "server/tools",
  keyWords: { MUST: 15, "MUST NOT": 3, SHOULD: 15, "SHOULD NOT": 3 },
  sections: {
    "": [must("client", "every request carries the required metadata", hasEnvelope)],
    "User Interaction Model": [
      should("host", "a person can say no to a call", notOurs(HOSTS)),
      should("host", "it shows which tools there are and when one is called", notOurs(HOSTS)),
    ],
    Capabilities: [
      must("server", "who has tools declares them", declares),
      must("server", "and lists them", referee("server", "tools-list"), hidden),
      mustNot(
        "server",
        "the list does not depend on the connection or what came before",
        sameLists,
      ),
      should(
        "server",
        "the order stays the same",
        lists("pages > gives pages in the order things were added, the last without a cursor"),
        sameLists,
      ),
    ],
    "Input Required Tool Results": [
      must(
        "client",
        "a retry has a new id",
        rounds(
          "a retry > repeats the call and carries this round's answers only, under a new id, with the whole envelope",
        ),
      ),
    ],
    "List Changed Notification": [
      should(
        "server",
        "changes are told to subscribers",
        added,
        subscriptions("a subscription > hears of a tool that is added"),
      ),
    ],
    Tool: [
      must(
        "server",
        "an input schema is a JSON Schema of an object",
        shownSchemas("a tool is refused > when its input is no object"),
        shownSchemas(
          "a schema without a type > is shown as that of an object, with all that it says",
        ),
        jsonSchema("a JSON Schema is refused > %s"),
      ),
      must(
        "host",
        "annotations are not believed",
        notOurs("Parley hands annotations on and decides nothing by them"),
      ),
    ],
    "Tool Names": [
      should("author", "names have 1 to 128 characters", refusedName),
      should(
        "server",
        "case makes another name",
        offers("names > of tools are told apart by case"),
      ),
      should("author", "of letters, digits and three marks", refusedName),
      shouldNot("author", "without spaces and the like", refusedName),
      should("author", "a name is given once", offers("names > of %s are given once")),
      should(
        "host",
        "who puts servers together tells their tools apart",
        notOurs("a client of ours has one server; putting several together is the host's"),
      ),
      shouldNot(
        "host",
        "not by what a server calls itself",
        pending("another server does not get it"),
        notOurs("a client of ours has one server, which it knows by its address"),
      ),
    ],
    "x-mcp-header": [
      mustNot("author", "a name is not empty", invalidTool, refusedTool),
      must("author", "it is a name of a field", invalidTool, refusedTool),
      mustNot("author", "nothing in it acts", invalidTool, refusedTool),
      must("author", "no two are the same", invalidTool, refusedTool),
      must("author", "it stands on text, whole numbers and booleans", invalidTool, refusedTool),
      must(
        "client",
        "whole numbers are those a double holds exactly",
        headerValues("header values > mirrors the argument %j as %j"),
      ),
      must("author", "it is reached by properties alone", invalidTool, refusedTool),
      must(
        "client",
        "a tool that breaks any of this is rejected",
        leftOut,
        referee("client", "http-invalid-tool-headers"),
      ),
      must("client", "and left out of the list", leftOut),
      should("client", "with a warning that names it", leftOut),
      shouldNot(
        "author",
        "secrets are not mirrored",
        notOurs("which argument is a secret, its author knows"),
      ),
    ],
    "Embedded Resources": [
      should(
        "author",
        "who embeds resources has resources",
        referee("server", "tools-call-embedded-resource"),
        notOurs(AUTHORS),
      ),
    ],
    "Structured Content": [
      should(
        "server",
        "structure goes out as text besides",
        shownSchemas("structured content > may be %s, and goes out as text besides"),
      ),
    ],
    "Output Schema": [
      must(
        "server",
        "structure fits the schema that was given",
        shownSchemas("structured content > that %s never leaves the server"),
      ),
      should(
        "client",
        "clients hold it against the schema",
        checkedOutputs("a client that checks what tools give > refuses what %s"),
        told("docs/client.md", "`checkOutput: jsonSchema`"),
      ),
    ],
    "Error Handling": [
      should(
        "host",
        "a tool's own error reaches the model",
        shownSchemas(
          "a tool whose input is a JSON Schema > answers what does not fit with an error the model can mend",
        ),
        cliCommand("parley call > exits 1 when the tool says it failed"),
        notOurs(HOSTS),
      ),
    ],
    "Security Considerations": [
      must(
        "server",
        "arguments are checked",
        shownSchemas(
          "a tool whose input is a JSON Schema > answers what does not fit with an error the model can mend",
        ),
      ),
      also(must)(
        "server",
        "not everyone may call everything",
        hidden,
        challenges(
          "A challenge through %s > to who lacks a tool's scopes is a 403 that names all of them, and the tool does not run",
        ),
      ),
      also(must)(
        "server",
        "calls can be limited",
        rateLimit("a rate limit > that refuses %s is an error, and nothing runs"),
        limited("limited refuses the third call of a minute, and no round that carries one on"),
      ),
      also(must)(
        "server",
        "nothing goes out that was not meant to",
        shownSchemas("structured content > that %s never leaves the server"),
        flows("%s > %s > tells a handler's error to nobody, unless it is meant for the user"),
      ),
      should("host", "people confirm what matters, and see with which arguments", notOurs(HOSTS)),
      also(should)(
        "client",
        "results are checked before a model reads them",
        shapes("what is no answer ends the call at once, and nothing is sent again > %s"),
        checkedOutputs("a client that checks what tools give > refuses what %s"),
        notOurs("what a block of content may do to a model is the host's to judge"),
      ),
      also(should)(
        "client",
        "references are not followed",
        referee("client", "json-schema-ref-no-deref"),
        checkedOutputs(
          "a client that checks what tools give > does not call a tool whose schema %s",
        ),
      ),
      also(should)(
        "client",
        "calls have their time",
        timeouts("a request's time > is a minute, whatever progress there is"),
      ),
      also(should)(
        "client",
        "calls can be logged",
        rounds("each round is told, with its questions and times"),
      ),
    ],
  },
};

/** The pages `server/*`. */
export const server: readonly Page[] = [discover, prompts, resources, tools, ...serverUtilities];
