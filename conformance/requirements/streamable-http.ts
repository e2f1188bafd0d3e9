import {
  abort,
  clientHttp,
  clientParamHeaders,
  connecting,
  envelope,
  fieldClient,
  flows,
  headerValues,
  http,
  httpChecks,
  methods,
  nodeHttp,
  paramHeaders,
  rounds,
  serveNode,
  shapes,
  signIn,
  toolHeaders,
  webAttacks,
} from "./files.js";
import {
  type Page,
  also,
  must,
  mustNot,
  notOurs,
  referee,
  required,
  should,
  shouldNot,
} from "./requirement.js";

const GATEWAYS = "it binds gateways and proxies between the two sides; Parley is none";
const OLD = "the transport of 2024-11-05 is not there at all: Parley speaks this revision alone";

const mismatched = httpChecks("what is refused over %s > mirrored headers > %s: 400 and -32020");
const matched = httpChecks("what is refused over %s > mirrored headers > %s passes");
const invalidTool = paramHeaders("what a schema mirrors > makes the tool invalid: %s");
const unequal = paramHeaders("holding headers against arguments > refuses %s");
const equal = paramHeaders("holding headers against arguments > takes %s");
const written = headerValues("header values > writes %j as %j and reads it back");
const read = headerValues("header values > reads %j as %j");
const mirroring = clientParamHeaders(
  "arguments over %s > travel in the headers their tool's schema names, and no others do",
);
const leftOut = clientParamHeaders(
  "a list of tools > leaves out those whose annotations are not valid, and says so",
);
const refusedByServer = toolHeaders(
  "over HTTP (%s) > an argument and its header have to agree: %s",
);
const agreed = toolHeaders("over HTTP (%s) > an argument and its header agree: %s");
const headersRefused = referee("server", "http-custom-header-server-validation");

/** The page `basic/transports/streamable-http`. */
export const streamableHttp: Page = {
  path: "basic/transports/streamable-http",
  keyWords: { MUST: 52, "MUST NOT": 8, SHOULD: 14, "SHOULD NOT": 1, REQUIRED: 1 },
  sections: {
    "": [
      must(
        "server",
        "there is one endpoint, for POST",
        serveNode("serves at the address it gives, on a free port, on this machine alone"),
        httpChecks("what is refused over %s > the method > %s is 405"),
      ),
    ],
    "Security & Endpoint": [
      must(
        "server",
        "where a request comes from is looked at",
        httpChecks("what is refused over %s > where a request comes from > a page from %s is 403"),
        webAttacks(
          "a web page of the attacker's > that points its own name at this machine (DNS rebinding) is refused",
        ),
        referee("server", "dns-rebinding-protection"),
      ),
      must(
        "server",
        "a wrong origin is 403",
        httpChecks("what is refused over %s > where a request comes from > a page from %s is 403"),
      ),
      should(
        "server",
        "a local server is reached from its machine alone",
        serveNode("serves at the address it gives, on a free port, on this machine alone"),
      ),
      should(
        "server",
        "who calls is found out",
        http("over %s > who calls > is whoever authenticate says, %s"),
        signIn(
          "lets nobody in without a token, nobody on without a session, and no markup through",
        ),
      ),
    ],
    "Sending Messages": [
      must(
        "client",
        "each message is a POST of its own",
        envelope(
          "every request > is one message in a POST of its own, with the headers that say what it is",
        ),
      ),
      must(
        "client",
        "and no other method",
        envelope(
          "every request > is one message in a POST of its own, with the headers that say what it is",
        ),
      ),
      must(
        "client",
        "both forms of answer are accepted",
        envelope(
          "every request > is one message in a POST of its own, with the headers that say what it is",
        ),
      ),
      must(
        "client",
        "the metadata headers are there",
        envelope(
          "every request > is one message in a POST of its own, with the headers that say what it is",
        ),
        referee("client", "http-standard-headers"),
      ),
      must(
        "client",
        "a body is one request or notification",
        envelope(
          "every request > is one message in a POST of its own, with the headers that say what it is",
        ),
      ),
      mustNot(
        "client",
        "clients send no responses",
        clientHttp("over %s > a request of the server's on the stream is not served"),
      ),
      must(
        "server",
        "a notification that is taken is 202 without a body",
        http("over %s > an answer > to a notification is 202 without a body"),
      ),
      must(
        "server",
        "one that is not taken is an error of HTTP's",
        httpChecks(
          "what is refused over %s > mirrored headers > a notification may have none, but those it has are held to it",
        ),
      ),
      must(
        "server",
        "a request is answered as JSON or as a stream",
        http("over %s > an answer > is one JSON object"),
        http(
          "over %s > a stream > begins with the first notification and ends with the reply, one data line each",
        ),
      ),
      must(
        "client",
        "clients read both",
        clientHttp("over %s > a stream gives its response, whatever comes before"),
        rounds("headers > carry the name %j"),
      ),
    ],
    "Receiving Messages": [
      must(
        "server",
        "what a stream tells is about its request",
        http("over %s > requests do not get each other's answers"),
        flows("%s > %s > reports progress and logs on the request's own stream, to who asked"),
        referee("server", "server-sse-multiple-streams"),
      ),
      mustNot(
        "server",
        "no requests on it",
        referee("server", "server-stateless"),
        flows("%s > %s > asks a model and for roots"),
      ),
      should(
        "server",
        "the response ends it",
        http(
          "over %s > a stream > begins with the first notification and ends with the reply, one data line each",
        ),
      ),
      should(
        "server",
        "proxies are told not to hold it back",
        http(
          "over %s > a stream > begins with the first notification and ends with the reply, one data line each",
        ),
      ),
    ],
    Cancellation: [
      must(
        "server",
        "who closes the stream has cancelled",
        http("over %s > a client that goes > in the middle of a stream aborts it too"),
        abort(
          "over %s, an abort > while the server is at it (%s) hangs up, and nothing more is sent",
        ),
      ),
      should(
        "server",
        "what is cancelled stops",
        http(
          "over %s > a client that goes > before the reply aborts the request, and gets nothing more",
        ),
      ),
      mustNot(
        "server",
        "nothing more is sent for it",
        http(
          "over %s > a client that goes > before the reply aborts the request, and gets nothing more",
        ),
        http(
          "over %s > a client that goes > after the reply aborts nothing, and what is sent then goes nowhere",
        ),
      ),
    ],
    "Protocol Version Header": [
      must(
        "client",
        "each POST names the revision",
        envelope(
          "every request > is one message in a POST of its own, with the headers that say what it is",
        ),
      ),
      must(
        "client",
        "as its body does",
        rounds(
          "a retry > repeats the call and carries this round's answers only, under a new id, with the whole envelope",
        ),
      ),
      must("server", "where they differ the request is refused", mismatched),
      must(
        "server",
        "a revision that is not spoken is refused with those that are",
        httpChecks("what is refused over %s > the version > %s is -32022, naming what is spoken"),
      ),
      must(
        "server",
        "a method nobody has is 404",
        methods("the error %d travels with HTTP %d"),
        referee("server", "server-stateless"),
      ),
      must("server", "no revision at all is refused", mismatched),
    ],
    "Standard Request Headers": [
      required(
        "both",
        "method and name are mirrored",
        envelope(
          "every request > is one message in a POST of its own, with the headers that say what it is",
        ),
        mismatched,
        referee("server", "http-header-validation"),
      ),
      must(
        "client",
        "a name that is no plain ASCII is encoded",
        rounds("headers > carry the name %j"),
        fieldClient("the name %s survives its header"),
      ),
    ],
    "Custom Headers from Tool Parameters": [
      must(
        "client",
        "clients know the annotation",
        mirroring,
        referee("client", "http-custom-headers"),
      ),
      must(
        "client",
        "what it names is mirrored",
        mirroring,
        clientParamHeaders("arguments over %s > go along in every round of a call"),
      ),
    ],
    "Schema Extension": [
      mustNot(
        "author",
        "a name is not empty",
        invalidTool,
        toolHeaders("a tool whose annotations are not valid is refused: %s"),
      ),
      must(
        "author",
        "it is a name of a field",
        invalidTool,
        toolHeaders("a tool whose annotations are not valid is refused: %s"),
      ),
      mustNot("author", "nothing in it acts", invalidTool),
      must(
        "author",
        "no two are the same",
        invalidTool,
        toolHeaders("a tool whose annotations are not valid is refused: %s"),
      ),
      must("author", "it stands on text, whole numbers and booleans", invalidTool),
      must(
        "client",
        "whole numbers are those a double holds exactly",
        headerValues("header values > mirrors the argument %j as %j"),
      ),
      must("author", "it is reached by properties alone", invalidTool),
      mustNot(
        "author",
        "never through anything else",
        invalidTool,
        paramHeaders("what a schema mirrors > is found by properties alone, however deep"),
      ),
      must(
        "client",
        "a tool that breaks any of this is rejected",
        leftOut,
        referee("client", "http-invalid-tool-headers"),
      ),
      must("client", "and left out of the list", leftOut),
      should("client", "with a warning that names it", leftOut),
    ],
    "Value Encoding": [
      must(
        "client",
        "values are encoded",
        mirroring,
        headerValues(
          "header values > survives the way, whatever the value, in characters a header may have",
        ),
      ),
      must("client", "what is no plain ASCII goes as base64", written, mirroring),
      should(
        "author",
        "names are fit for headers",
        toolHeaders("a tool whose name no header can carry is refused: %j"),
        matched,
      ),
      must("both", "the marks are written exactly so", written, read),
      must("server", "whoever looks at a value decodes it", read, matched),
      must("server", "before it is compared", matched, equal),
      must("client", "what only looks encoded is encoded", written),
    ],
    "Client Behavior": [
      must(
        "client",
        "method and name are mirrored from the body",
        envelope(
          "every request > is one message in a POST of its own, with the headers that say what it is",
        ),
      ),
      also(must)(
        "client",
        "and so is what the tool's schema names, encoded",
        mirroring,
        referee("client", "http-custom-headers"),
      ),
      should(
        "client",
        "a refusal for headers has the tools listed, and the call sent again",
        clientParamHeaders(
          "a call refused for its headers > lists the tools and is sent once more, with what they want",
        ),
      ),
    ],
    "Server Behavior for Custom Headers": [
      must("others", "who does not know a header hands it on", notOurs(GATEWAYS)),
      must(
        "server",
        "a header with characters it may not have is refused",
        unequal,
        headersRefused,
      ),
      must("server", "headers are held against the body", unequal, refusedByServer, headersRefused),
      must("server", "what does not match is 400 and -32020", refusedByServer, headersRefused),
      must("client", "a value has its header", mirroring),
      must("server", "which is held against it", refusedByServer),
      must("client", "null has none", mirroring),
      mustNot(
        "server",
        "and none is waited for",
        equal,
        toolHeaders("over HTTP (%s) > an argument that is null has no header"),
      ),
      must("client", "an argument that is not there has none", mirroring),
      mustNot("server", "and none is waited for either", equal, agreed),
      must("server", "a value without its header is refused", unequal, refusedByServer),
    ],
    "Case Sensitivity": [
      must(
        "both",
        "names of headers are the same in any case, values are not",
        matched,
        mismatched,
        nodeHttp("on a raw connection > a field name %s is the same name"),
      ),
    ],
    "Server Validation": [
      must(
        "server",
        "headers that say something else than the body are refused",
        mismatched,
        webAttacks(
          "headers that say something else than the body > such as %s, to get past a gateway, are refused",
        ),
      ),
      should("server", "whole numbers are compared as numbers", equal),
      must("server", "under status 400", mismatched, refusedByServer),
      must("server", "and the code for that", mismatched, refusedByServer),
      must("server", "encoded values are decoded first", matched, equal),
      must("others", "gateways answer with an error of HTTP's", notOurs(GATEWAYS)),
      should("others", "they look at the revision first", notOurs(GATEWAYS)),
      should("others", "and refuse older ones", notOurs(GATEWAYS)),
    ],
    "Backward Compatibility": [
      should(
        "client",
        "a refusal is read before it is taken for an older server's",
        connecting(
          "a server of an earlier revision, which this client does not speak, > is not told by an error of this revision",
        ),
        shapes("errors of the server's > with status %i and code %i reach the caller as they are"),
      ),
    ],
    "Earlier Streamable HTTP Revisions": [
      should(
        "server",
        "GET and DELETE are 405",
        httpChecks("what is refused over %s > the method > %s is 405"),
      ),
      also(should)(
        "server",
        "sessions and resumption are ignored",
        http("over %s > an answer > carries nothing of earlier revisions' sessions"),
      ),
    ],
    "HTTP+SSE Transport (2024-11-05)": [
      shouldNot(
        "both",
        "the older transport is not taken up",
        httpChecks("what is refused over %s > the method > %s is 405"),
        notOurs(OLD),
      ),
      should("both", "and left behind where it is", notOurs(OLD)),
    ],
  },
};
