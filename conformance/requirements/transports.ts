import {
  clientStdio,
  connecting,
  envelope,
  fieldClient,
  http,
  jsonrpc,
  parse,
  serverProcess,
  stdio,
  stdioServer,
  subscriptionsWire,
} from "./files.js";
import {
  type Page,
  must,
  mustNot,
  notOurs,
  recommended,
  should,
  shouldNot,
} from "./requirement.js";
import { streamableHttp } from "./streamable-http.js";

const NO_OTHERS = "Parley has the two transports of the revision and defines no other";
const ONE_ERA = "Parley's client speaks this revision alone and has nothing to fall back to";

const overview: Page = {
  path: "basic/transports/index",
  keyWords: { MUST: 3, SHOULD: 2 },
  sections: {
    Messages: [
      must(
        "both",
        "messages are UTF-8",
        parse("parseBytes > refuses %s"),
        http("over %s > an answer > may come later, and in any script"),
        clientStdio("a message in pieces is one message, and noise is none"),
      ),
      must(
        "both",
        "a transport carries requests one way, responses the other, and notifications both",
        stdioServer("whatever a handler asks, nothing goes out but responses and notifications"),
        clientStdio("an abort > is told to the server by notification, once"),
      ),
    ],
    "Custom Transports": [
      must(
        "others",
        "a transport of one's own keeps messages, patterns and metadata",
        notOurs(NO_OTHERS),
      ),
      should("others", "and is documented", notOurs(NO_OTHERS)),
      should("others", "over a byte stream, it frames messages as stdio does", notOurs(NO_OTHERS)),
    ],
  },
};

const stdioPage: Page = {
  path: "basic/transports/stdio",
  keyWords: { MUST: 2, "MUST NOT": 7, SHOULD: 6, "SHOULD NOT": 1, RECOMMENDED: 1 },
  sections: {
    "": [
      mustNot(
        "both",
        "a message is one line",
        jsonrpc("texts > are one line of JSON that reads back"),
      ),
      shouldNot(
        "client",
        "what a server says on standard error is no error",
        clientStdio("progress and log messages reach the requests they may belong to"),
      ),
      mustNot(
        "server",
        "standard output is for messages alone",
        serverProcess(
          "a process that serves its own standard streams > writes nothing but messages to stdout while it runs, and ends with its input",
        ),
      ),
      mustNot(
        "client",
        "so is standard input",
        envelope("over stdio, a discovery comes first, and once"),
      ),
      should("others", "other byte streams frame messages the same", notOurs(NO_OTHERS)),
    ],
    "Sending Messages": [
      mustNot(
        "client",
        "clients send no responses",
        clientStdio("a request of the server's is not answered"),
      ),
    ],
    "Receiving Messages": [
      must(
        "client",
        "what a subscription hears is told apart by its id",
        subscriptionsWire("over stdio > each subscription of the one channel hears its own"),
      ),
      mustNot(
        "server",
        "servers send no requests",
        stdioServer("whatever a handler asks, nothing goes out but responses and notifications"),
      ),
    ],
    Cancellation: [
      must(
        "client",
        "a request is cancelled by notification",
        clientStdio("an abort > is told to the server by notification, once"),
      ),
      should(
        "server",
        "what is cancelled stops",
        stdio("cancellation > aborts that request alone, and nothing more is sent for it"),
      ),
      mustNot(
        "server",
        "nothing more is sent for it",
        stdio("cancellation > aborts that request alone, and nothing more is sent for it"),
        stdio("cancellation > frees the id, and the cancelled request has no more say in it"),
      ),
    ],
    Shutdown: [
      should(
        "client",
        "the input is closed, the server waited for, and ended only then",
        clientStdio("closing > ends the process by closing its input"),
        clientStdio("closing > makes a %s one end"),
      ),
      should(
        "server",
        "a server ends with its input",
        serverProcess(
          "a process that serves its own standard streams > writes nothing but messages to stdout while it runs, and ends with its input",
        ),
        stdio("the end of the input > ends what would not end by itself"),
      ),
    ],
    "Unexpected Termination": [
      should(
        "client",
        "a server that died is started again",
        clientStdio(
          "a process > that ends fails what is under way, and is started again for what comes next",
        ),
      ),
    ],
    "Backward Compatibility": [
      should(
        "client",
        "a client of both eras asks for the revision first",
        notOurs(ONE_ERA),
        envelope("over stdio, a discovery comes first, and once"),
      ),
      mustNot(
        "client",
        "no single error code tells an older server",
        connecting(
          "a server of an earlier revision, which this client does not speak, > is told by %s",
        ),
        fieldClient("a server that answers the probe with %d is taken for an older one"),
        clientStdio("a server of an earlier revision > is told by its silence"),
      ),
      recommended(
        "client",
        "a client of this era asks, too",
        envelope("over stdio, a discovery comes first, and once"),
      ),
    ],
  },
};

/** The pages `basic/transports/*`. */
export const transports: readonly Page[] = [overview, stdioPage, streamableHttp];
