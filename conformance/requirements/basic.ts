import {
  challenges,
  checkedOutputs,
  classify,
  clientIcons,
  clientStdio,
  codes,
  connecting,
  envelope,
  fieldServer,
  flows,
  jsonrpc,
  jsonSchema,
  meta,
  methods,
  moved,
  otel,
  requestFuzz,
  rounds,
  serverErrors,
  shapes,
  shown,
  shownSchemas,
  stateless,
  stdio,
  subscriptions,
  tokens,
} from "./files.js";
import {
  type Page,
  must,
  mustNot,
  notFollowed,
  notOurs,
  recommended,
  referee,
  should,
  shouldNot,
  told,
} from "./requirement.js";

const RENDERS = "Parley renders nothing: it is the host that draws icons";

/** The page `basic/index`. */
export const basic: Page = {
  path: "basic/index",
  keyWords: { MUST: 33, "MUST NOT": 12, SHOULD: 13, "SHOULD NOT": 6, RECOMMENDED: 1 },
  sections: {
    "": [
      must(
        "both",
        "the base protocol, versioning and the message patterns are there",
        referee("server", "server-stateless"),
        referee("client", "request-metadata"),
        referee("client", "sep-2322-client-request-state"),
      ),
    ],
    Messages: [
      must(
        "both",
        "every message is JSON-RPC 2.0",
        jsonrpc("texts > are one line of JSON that reads back"),
        jsonrpc("readMessage > finds %s invalid, and keeps the id %j"),
        referee("server", "server-stateless"),
      ),
    ],
    Requests: [
      must(
        "client",
        "a request has an id, text or whole number",
        envelope("every request > has a whole number of its own for an id"),
      ),
      mustNot(
        "both",
        "null is no id",
        envelope("every request > has a whole number of its own for an id"),
        jsonrpc("readMessage > finds %s invalid, and keeps the id %j"),
      ),
      mustNot(
        "client",
        "an id is not in use for two requests at a time",
        envelope("every request > has a whole number of its own for an id"),
        rounds(
          "a retry > repeats the call and carries this round's answers only, under a new id, with the whole envelope",
        ),
        stdio("requests > under an id still in use are refused, and the first is not disturbed"),
      ),
    ],
    "Result Responses": [
      must(
        "server",
        "a result answers under its request's id",
        stdio("requests > run at once and are answered as they finish"),
        shapes("what is no answer ends the call at once, and nothing is sent again > %s"),
      ),
      must(
        "server",
        "there is a result in it",
        jsonrpc("texts > are one line of JSON that reads back"),
      ),
      must(
        "server",
        "the result says what kind it is",
        fieldServer("shapes > %s has resultType, ttlMs and cacheScope"),
        referee("server", "input-required-result-result-type"),
      ),
    ],
    ResultType: [
      must(
        "both",
        "known kinds of result are the core's and those of extensions that were declared",
        classify("classify > takes an extension's result only where the client advertised it"),
        classify("classify > lets no extension take a core type's place"),
      ),
      must(
        "client",
        "an unknown kind makes the result invalid",
        classify("classify > finds the resultType %j invalid"),
        shapes("what is no answer ends the call at once, and nothing is sent again > %s"),
      ),
      must(
        "client",
        "no kind at all means complete",
        classify("classify > takes a result that says complete, or nothing, on %s"),
        shapes("what counts as complete > %s"),
      ),
    ],
    "Error Responses": [
      must(
        "both",
        "an error answers under its request's id, unless that could not be read",
        stdio("lines > that are no message are refused, and the next one is read"),
        shapes("errors of the server's > without a readable id (%j) too"),
      ),
      must(
        "server",
        "an error has a code and a message",
        jsonrpc("texts > are one line of JSON that reads back"),
        classify("classify > finds %j invalid"),
      ),
      must(
        "both",
        "codes are whole numbers",
        serverErrors("a handler's error > under the code %s stays in the server"),
        shapes("what is no answer ends the call at once, and nothing is sent again > %s"),
      ),
    ],
    "Error Codes": [
      mustNot(
        "both",
        "no new code between -32000 and -32019",
        codes(
          "the codes of this library > are JSON-RPC's, this revision's, or outside of what either reserves",
        ),
        serverErrors("a handler's error > under the code %s stays in the server"),
      ),
      shouldNot(
        "both",
        "none of those codes is used at all",
        codes(
          "the codes of this library > are JSON-RPC's, this revision's, or outside of what either reserves",
        ),
        serverErrors("a handler's error > under the code %s stays in the server"),
      ),
      mustNot(
        "client",
        "nothing is read into those codes",
        connecting(
          "a server of an earlier revision, which this client does not speak, > is told by %s",
        ),
        shapes("errors of the server's > with status %i and code %i reach the caller as they are"),
      ),
      mustNot(
        "both",
        "from -32020 to -32099 only what the specification defines is sent",
        codes(
          "the codes of this library > are JSON-RPC's, this revision's, or outside of what either reserves",
        ),
        serverErrors("a handler's error > under the code %s stays in the server"),
      ),
      must(
        "both",
        "and only in the meaning it defines",
        fieldServer(
          "shapes > bare elicitation means form; url only does not, and -32021 names the exact one",
        ),
        referee("server", "http-header-validation"),
        serverErrors("a handler's error > under the code %s stays in the server"),
      ),
      mustNot(
        "both",
        "codes of earlier revisions are not sent",
        codes(
          "the codes of this library > are JSON-RPC's, this revision's, or outside of what either reserves",
        ),
        serverErrors("a handler's error > under the code %s stays in the server"),
      ),
      should(
        "client",
        "an older server's own code for a missing resource is still understood",
        shapes("errors of the server's > with status %i and code %i reach the caller as they are"),
      ),
      should(
        "both",
        "codes of one's own lie outside the range JSON-RPC reserves",
        codes(
          "the codes of this library > are JSON-RPC's, this revision's, or outside of what either reserves",
        ),
      ),
    ],
    Notifications: [
      mustNot(
        "both",
        "a notification is not answered",
        stdio("requests > are all there is: notifications and responses are never answered"),
      ),
      mustNot(
        "both",
        "a notification has no id",
        clientStdio("an abort > is told to the server by notification, once"),
        jsonrpc("texts > are one line of JSON that reads back"),
      ),
    ],
    Statelessness: [
      mustNot(
        "server",
        "nothing said in one request counts for the next",
        stateless("over %s > what one request declared does not count for the next"),
        referee("server", "server-stateless"),
      ),
      should(
        "server",
        "one connection may serve many conversations",
        flows("%s > %s > keeps parallel calls of one tool apart"),
        fieldServer("losing or mixing answers > two parallel calls of one tool get no cross-talk"),
      ),
      shouldNot(
        "server",
        "no request needs the connection, or the process, of another",
        flows(
          "%s > %s > carries earlier answers on: three questions, four calls, only the current answer sent",
        ),
        stateless("over %s > a call goes on over another connection"),
      ),
      shouldNot(
        "client",
        "a server's process does not live and die with one conversation",
        clientStdio("calls at once find their own answers"),
        clientStdio("closing > ends the process by closing its input"),
      ),
      must(
        "both",
        "what outlives a request is named in each request that needs it",
        flows(
          "%s > %s > carries earlier answers on: three questions, four calls, only the current answer sent",
        ),
        stateless("over %s > a call goes on over another connection"),
      ),
    ],
    Auth: [
      should(
        "both",
        "over HTTP, the authorization pages are kept to",
        challenges("A caller without a token > is refused by default, whatever it asks for"),
        tokens(
          "A token through %s > of a user, from a real authorization server, is its issuer, subject, client and scopes",
        ),
      ),
      shouldNot(
        "both",
        "over stdio they are not; who calls comes from the environment",
        stdio("requests > come from whom the process says"),
        clientStdio("a process > gets no shell, and a small environment with what the host adds"),
      ),
    ],
    "Schema Dialect": [
      must(
        "both",
        "the dialect 2020-12 is understood",
        jsonSchema("a JSON Schema > knows %s"),
        referee("server", "json-schema-2020-12"),
      ),
      should(
        "both",
        "further dialects are documented",
        told("docs/server.md", "`$schema` may also name **draft-07**"),
      ),
      recommended(
        "both",
        "2020-12 is what to use",
        told("docs/server.md", "The dialect is **2020-12**"),
      ),
    ],
    "Implementation Requirements": [
      must(
        "both",
        "a schema that names no dialect is 2020-12",
        jsonSchema("a JSON Schema > knows %s"),
      ),
      must(
        "both",
        "a schema is read by the dialect it names",
        jsonSchema("a JSON Schema > knows %s"),
        jsonSchema("a JSON Schema is refused > %s"),
      ),
      must(
        "both",
        "a dialect that is not supported is an error that says so",
        checkedOutputs(
          "a client that checks what tools give > does not call a tool whose schema %s",
        ),
        jsonSchema("a JSON Schema is refused > %s"),
      ),
      should(
        "both",
        "the dialects are documented",
        told("docs/server.md", "The dialect is **2020-12**"),
      ),
    ],
    "Schema Validation": [
      must(
        "both",
        "a schema is valid in its own dialect",
        jsonSchema("a JSON Schema is refused > %s"),
        shownSchemas("a tool is refused > when its schema can't check anything"),
      ),
    ],
    "`$ref` Resolution": [
      mustNot(
        "both",
        "a reference into the network is not followed",
        jsonSchema("a JSON Schema is refused > %s"),
        referee("client", "json-schema-ref-no-deref"),
      ),
      must(
        "both",
        "fetching would be off unless turned on",
        jsonSchema("a JSON Schema is refused > %s"),
        notOurs("there is no mode that fetches: nothing to turn on"),
      ),
      should(
        "both",
        "fetching would be fenced in",
        notOurs("there is no mode that fetches: nothing to fence in"),
      ),
      should(
        "both",
        "a schema that leads outside is refused rather than taken to allow everything",
        jsonSchema("a JSON Schema is refused > %s"),
      ),
    ],
    "Composition-Keyword Resource Use": [
      should(
        "both",
        "what a schema may cost is bounded",
        jsonSchema("a JSON Schema is refused > %s"),
        jsonSchema("no value takes for ever > where references fork"),
      ),
    ],
    "`_meta`": [
      mustNot(
        "both",
        "nothing is taken for granted about the reserved keys",
        meta("readEnvelope > reads or refuses anything, and never throws"),
        requestFuzz("%s > with any one place replaced"),
      ),
      must("both", "a prefix is dotted labels and a slash", meta("isMetaKey(%j) is %s")),
      must(
        "both",
        "labels begin with a letter and end with a letter or digit",
        meta("isMetaKey(%j) is %s"),
      ),
      should(
        "both",
        "prefixes are reversed domain names",
        notFollowed(
          "our own keys stand under mcp-parley/, the package's name: there is no domain to reverse",
        ),
      ),
      must("both", "names begin and end alphanumeric", meta("isMetaKey(%j) is %s")),
      must(
        "client",
        "every request carries the required members",
        envelope("every request > carries the revision, the client's name and what it can do"),
        referee("client", "request-metadata"),
      ),
      must(
        "server",
        "a request without them is refused as invalid params",
        meta("readEnvelope > refuses %s as invalid params"),
        serverErrors("over HTTP (%s) > a request without %s is 400 and -32602"),
      ),
      must(
        "server",
        "over HTTP, under status 400",
        serverErrors("over HTTP (%s) > a request without %s is 400 and -32602"),
      ),
      should(
        "client",
        "clients name themselves",
        envelope("every request > carries the revision, the client's name and what it can do"),
      ),
      mustNot(
        "server",
        "a capability that was not declared is not relied on",
        flows("%s > %s > names exactly what the client has not declared, and does nothing"),
        referee("server", "input-required-result-capability-check"),
      ),
      must(
        "server",
        "what cannot be done without it is refused with what is missing",
        flows("%s > %s > names exactly what the client has not declared, and does nothing"),
        fieldServer(
          "shapes > bare elicitation means form; url only does not, and -32021 names the exact one",
        ),
      ),
      must(
        "server",
        "over HTTP, under status 400, too",
        methods("the error %d travels with HTTP %d"),
        referee("server", "server-stateless"),
      ),
      should(
        "server",
        "servers name themselves in every result",
        shown(
          "what a server says of what it offers reaches the client whole > of itself, in every result",
        ),
      ),
      shouldNot(
        "both",
        "what the other side calls itself changes nothing",
        meta("readEnvelope > serves a client that gives %j for clientInfo"),
        connecting("a server that keeps its name to itself has none"),
      ),
      shouldNot(
        "both",
        "nor is anything of security decided by it",
        moved("somebody else's state > is not opened by claiming its owner's name in the request"),
      ),
      must(
        "server",
        "what a subscription hears names the subscription",
        subscriptions("a subscription > hears what it asked for and nothing else"),
      ),
      must(
        "both",
        "trace context is as the W3C writes it",
        otel("a client that traces > that names %j names none"),
        otel("a client that traces > hands its baggage on where a propagator takes it"),
      ),
    ],
    "`icons`": [
      must("host", "who draws icons draws PNG and JPEG", notOurs(RENDERS)),
      should("host", "and SVG and WebP", notOurs(RENDERS)),
      must(
        "both",
        "icons are handled with care",
        clientIcons("icons from a server > that are neither https: nor data: are left out of %s"),
        shown("what clients would leave out is refused > %s"),
        notOurs(`${RENDERS}, and fetches them without credentials`),
      ),
      must(
        "client",
        "an icon under an unsafe scheme is rejected",
        clientIcons("icons from a server > that are neither https: nor data: are left out of %s"),
      ),
    ],
  },
};
