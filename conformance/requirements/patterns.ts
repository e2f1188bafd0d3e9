import {
  abort,
  clientStdio,
  clientSubscriptions,
  cliTerminal,
  flows,
  http,
  limits,
  listeners,
  meta,
  shown,
  stdio,
  stdioServer,
  subscriptions,
  subscriptionsWire,
  timeouts,
} from "./files.js";
import { mrtr } from "./mrtr.js";
import { type Page, must, mustNot, notFollowed, notOurs, referee, should } from "./requirement.js";

const LATE_WORDS = [
  stdio("requests > send notifications before their reply and none after it"),
  http(
    "over %s > a client that goes > after the reply aborts nothing, and what is sent then goes nowhere",
  ),
];

const cancellation: Page = {
  path: "basic/patterns/cancellation",
  keyWords: { MUST: 6, "MUST NOT": 1, SHOULD: 10 },
  sections: {
    "": [
      should(
        "client",
        "a request nobody waits for is cancelled",
        abort(
          "over %s, an abort > while the server is at it (%s) hangs up, and nothing more is sent",
        ),
        clientStdio("an abort > is told to the server by notification, once"),
      ),
      must(
        "server",
        "a subscription the server ends is cancelled by notification",
        subscriptions("a subscription > ends gracefully when the server closes"),
      ),
      mustNot(
        "server",
        "servers cancel nothing else",
        stdioServer("a server that closes cancels its subscriptions, and no call"),
      ),
    ],
    "Transport-Specific Cancellation": [
      must(
        "server",
        "over HTTP, a client that goes has cancelled",
        http(
          "over %s > a client that goes > before the reply aborts the request, and gets nothing more",
        ),
        http("over %s > a client that goes > in the middle of a stream aborts it too"),
      ),
      must(
        "client",
        "over stdio, a notification names the request",
        clientStdio("an abort > is told to the server by notification, once"),
      ),
    ],
    Timeouts: [
      should(
        "client",
        "every request has its time",
        limits(
          "a server that does not answer > is given a minute for each request; then the connection is closed",
        ),
        timeouts("a request's time > is a minute, whatever progress there is"),
      ),
      should(
        "client",
        "when that is over it is cancelled",
        timeouts("over %s > a request that took too long hangs up on its stream"),
        clientStdio("an abort > and a time-out alike"),
      ),
      should(
        "client",
        "the time can be set for each request",
        limits("a server that does not answer > is given what the client, or the call, says"),
      ),
      should(
        "client",
        "however much progress there is, time has an end",
        timeouts("a request's time > ends with %s, however much progress there is"),
      ),
    ],
    "Behavior Requirements": [
      must(
        "client",
        "only one's own requests that are under way are cancelled",
        clientStdio("an abort > of a request that was answered tells nothing"),
        abort("over %s, an abort > before the call sends nothing"),
      ),
      must(
        "server",
        "what a server cancels is a subscription",
        stdioServer("a server that closes cancels its subscriptions, and no call"),
      ),
      should(
        "server",
        "what is cancelled stops, lets go of what it holds, and is not answered",
        stdio("cancellation > aborts that request alone, and nothing more is sent for it"),
        stdio("cancellation > frees the id, and the cancelled request has no more say in it"),
        subscriptions("a subscription > hears nothing after the client has ended it"),
      ),
      should(
        "client",
        "an answer that comes after all is passed over",
        clientStdio("an abort > leaves an answer unread that comes after it"),
      ),
    ],
    "Timing Considerations": [
      must(
        "both",
        "a cancellation and an answer may cross",
        clientStdio("an abort > leaves an answer unread that comes after it"),
        stdio("cancellation > of what is not under way is ignored (%j)"),
      ),
    ],
    "Implementation Notes": [
      should(
        "both",
        "reasons are logged",
        notFollowed(
          "a log of ours tells of faults; the handler and its spans learn of the end from the signal",
        ),
      ),
      should(
        "host",
        "people see that something is being cancelled",
        cliTerminal("at a terminal > Ctrl-C ends the command, and nothing is sent"),
      ),
    ],
    "Error Handling": [
      should(
        "server",
        "a cancellation of nothing is ignored",
        stdio("cancellation > of what is not under way is ignored (%j)"),
      ),
    ],
  },
};

const overview: Page = {
  path: "basic/patterns/index",
  keyWords: { "MUST NOT": 1 },
  sections: {
    "": [
      mustNot(
        "server",
        "servers send no requests",
        referee("server", "server-stateless"),
        stdioServer("whatever a handler asks, nothing goes out but responses and notifications"),
      ),
    ],
  },
};

const progress: Page = {
  path: "basic/patterns/progress",
  keyWords: { MUST: 5, SHOULD: 3 },
  sections: {
    "Progress Flow": [
      must(
        "client",
        "a token is text or a whole number",
        listeners(
          "over %s > progress reaches the one who asked for it, by a token of each request",
        ),
        meta("readEnvelope > refuses %s as invalid params"),
      ),
      must(
        "client",
        "no two requests under way share a token",
        listeners(
          "over %s > progress reaches the one who asked for it, by a token of each request",
        ),
      ),
      must(
        "server",
        "progress rises",
        shown("on the request's own stream > progress grows, under the token %j"),
        flows("%s > %s > reports progress and logs on the request's own stream, to who asked"),
      ),
      should(
        "author",
        "a message tells people something",
        notOurs("the words are those of whoever writes the handler"),
      ),
    ],
    "Behavior Requirements": [
      must(
        "server",
        "only tokens of requests under way are named",
        shown("on the request's own stream > nothing is said that was not asked for"),
        ...LATE_WORDS,
      ),
    ],
    "Implementation Notes": [
      should(
        "both",
        "both know which tokens are in use",
        listeners("over %s > without a listener no token is sent, and a caller's own stays"),
        shown("on the request's own stream > progress grows, under the token %j"),
      ),
      should(
        "both",
        "nobody is flooded",
        stdio(
          "a client that does not read > is not buried in notifications, and still gets its reply",
        ),
        http("over %s > a stream > that nobody reads is cut off, and its request aborted"),
      ),
      must("server", "after the end there is no progress", ...LATE_WORDS),
    ],
  },
};

const listening: Page = {
  path: "basic/patterns/subscriptions",
  keyWords: { MUST: 3, "MUST NOT": 2, SHOULD: 3 },
  sections: {
    "Opening a Stream": [
      mustNot(
        "server",
        "nothing is told that was not asked for",
        subscriptions("a subscription > hears what it asked for and nothing else"),
      ),
    ],
    Acknowledgment: [
      must(
        "server",
        "the acknowledgement comes first",
        subscriptions(
          "a subscription > is acknowledged first, with what the server can tell of, under its own id",
        ),
      ),
      mustNot(
        "server",
        "and nothing before it",
        subscriptions(
          "a subscription > is acknowledged first, with what the server can tell of, under its own id",
        ),
        clientSubscriptions(
          "a subscription > hears nothing before it is acknowledged, of others, or unasked",
        ),
      ),
      should(
        "client",
        "what was acknowledged is held against what was asked",
        clientSubscriptions(
          "a subscription > asks for what it was given, and says what the server will tell of",
        ),
      ),
    ],
    "Receiving Notifications": [
      must(
        "client",
        "over stdio, the id says which subscription hears",
        subscriptionsWire("over stdio > each subscription of the one channel hears its own"),
      ),
    ],
    Cancellation: [
      should(
        "server",
        "a subscription the server ends gets its result",
        subscriptions("a subscription > ends gracefully when the server closes"),
      ),
    ],
    "Graceful Closure": [
      should(
        "server",
        "the result comes before the stream closes",
        subscriptionsWire(
          "over HTTP with %s > changes come as they happen, until the server closes",
        ),
      ),
      must(
        "client",
        "over stdio, a connection made anew is subscribed anew",
        subscriptionsWire("over stdio > they are opened again by a process that is started anew"),
      ),
    ],
  },
};

/** The pages `basic/patterns/*`. */
export const patterns: readonly Page[] = [overview, cancellation, mrtr, progress, listening];
