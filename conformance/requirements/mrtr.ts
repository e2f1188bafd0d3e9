import {
  atMostOnce,
  fieldServer,
  flows,
  forged,
  input,
  moved,
  parse,
  replayed,
  rounds,
  shapes,
  stateEcho,
  stdioServer,
  zoo,
} from "./files.js";
import { type Page, also, must, mustNot, referee, should } from "./requirement.js";

/** The page `basic/patterns/mrtr`. */
export const mrtr: Page = {
  path: "basic/patterns/mrtr",
  keyWords: { MUST: 13, "MUST NOT": 8, SHOULD: 5 },
  sections: {
    "": [
      must(
        "server",
        "whatever a server asks is asked in a result",
        flows("%s > %s > asks a model and for roots"),
        flows("%s > %s > asks in a straight line, each question once, and the effect happens once"),
        stdioServer("whatever a handler asks, nothing goes out but responses and notifications"),
      ),
      must(
        "client",
        "retries carry the required metadata like any request",
        rounds(
          "a retry > repeats the call and carries this round's answers only, under a new id, with the whole envelope",
        ),
      ),
    ],
    InputRequiredResult: [
      mustNot(
        "client",
        "the state is nothing to the client",
        stateEcho("over %s, the state a server sends comes back as it was > %s"),
      ),
    ],
    "Supported Requests": [
      mustNot(
        "server",
        "no request but the three is answered with a question",
        referee("server", "input-required-result-unsupported-methods"),
        fieldServer("state > a state on a method that cannot ask is ignored"),
      ),
    ],
    "Server Requirements (Basic Workflow)": [
      must(
        "server",
        "keys are unique in a round",
        fieldServer("questions > two different questions under one key in one run are an error"),
        flows("%s > %s > puts what is asked together in one round"),
      ),
      must(
        "server",
        "questions are of the three kinds",
        flows("%s > %s > asks a model and for roots"),
        flows("%s > %s > makes a link's address once and seals it"),
        referee("server", "input-required-result-multiple-input-requests"),
      ),
      must(
        "server",
        "a state that comes back is an attacker's text",
        forged("a state that was made up > as %j is refused, and never taken for a first call"),
        forged(
          "a state that costs > a megabyte of junk is refused by its length: nothing reads it",
        ),
      ),
      must(
        "server",
        "it is protected",
        forged("a state that was changed > by a single bit anywhere is refused"),
      ),
      must(
        "server",
        "and refused where that fails",
        forged(
          "a state that was changed > into parts of two honest states is refused, wherever it is cut",
        ),
        referee("server", "input-required-result-tampered-state"),
      ),
      should(
        "server",
        "it is bound to who calls",
        moved("somebody else's state > is refused in anybody's hands, and still its owner's"),
        flows("%s > %s > refuses another user's state, and lets its owner go on"),
      ),
      also(should)(
        "server",
        "it ends soon",
        replayed(
          "a state that was kept for later > is over after ten minutes, to the millisecond, and stays so",
        ),
      ),
      also(should)(
        "server",
        "it is bound to its request",
        moved(
          "an approval of one thing, used for another > of one tool on another tool with the same arguments is refused",
        ),
        flows(
          "%s > %s > refuses a state that was moved to other arguments, another tool, another method",
        ),
      ),
      must(
        "server",
        "where it may be used once, the server sees to that",
        replayed(
          "a round that is sent again > twenty times at once, over two instances, moves money once",
        ),
        atMostOnce(
          "over %s > gives the same bytes to the same round, in turn and at once, and one effect",
        ),
      ),
      must(
        "server",
        "there is a question or a state in every such result",
        flows("%s > %s > ends a round at a checkpoint, without a question"),
        shapes("what is no answer ends the call at once, and nothing is sent again > %s"),
      ),
      mustNot(
        "server",
        "nothing is asked that the client has not declared",
        flows("%s > %s > names exactly what the client has not declared, and does nothing"),
        referee("server", "input-required-result-capability-check"),
      ),
      mustNot(
        "server",
        "no elicitation goes to a client without it",
        fieldServer(
          "shapes > bare elicitation means form; url only does not, and -32021 names the exact one",
        ),
      ),
      mustNot(
        "server",
        "no answer and no retry is counted on",
        zoo("10,000 flows begun and abandoned leave the heap flat"),
        flows("%s > %s > asks again only for what is missing"),
      ),
    ],
    "Client Requirements (Basic Workflow)": [
      must(
        "client",
        "what was asked is answered before the retry",
        rounds("a retry > answers every key, whatever words the server uses"),
        shapes(
          "a question nobody can answer names its key and kind, before any function is called",
        ),
      ),
      must(
        "client",
        "the exact state goes back",
        stateEcho("over %s, the state a server sends comes back as it was > %s"),
      ),
      mustNot(
        "client",
        "nothing is read into it",
        stateEcho("over %s, the state a server sends comes back as it was > %s"),
        referee("client", "sep-2322-client-request-state"),
      ),
      mustNot(
        "client",
        "where none came, none is sent",
        stateEcho("the state of one round is not sent with the next"),
        stateEcho(
          "a state and answers left in the caller's params are not sent, and the params stay as they were",
        ),
      ),
      must(
        "client",
        "a retry has a new id",
        rounds(
          "a retry > repeats the call and carries this round's answers only, under a new id, with the whole envelope",
        ),
      ),
      mustNot(
        "client",
        "neither is used for another request",
        rounds("concurrent calls, lists and reads share nothing"),
      ),
    ],
    "Error Handling": [
      should(
        "server",
        "answers are checked for their shape",
        input("readInputResponses > refuses %j, and says which it was"),
        fieldServer("shapes > a malformed retry, %s, is -32602 and the handler does not run"),
      ),
      should(
        "server",
        "what breaks the protocol is an error",
        fieldServer("shapes > a malformed retry, %s, is -32602 and the handler does not run"),
        parse("parseJson > refuses a duplicate member: %s"),
      ),
      should(
        "server",
        "answers nobody asked for are passed over",
        fieldServer("shapes > an own __proto__ key in inputResponses is an ordinary unknown key"),
        referee("server", "input-required-result-ignore-extra-params"),
      ),
      should(
        "server",
        "what is missing is asked again",
        flows("%s > %s > asks again only for what is missing"),
        referee("server", "input-required-result-missing-input-response"),
      ),
    ],
    "Security Considerations": [
      must(
        "server",
        "a state is checked before it is used",
        forged("a state that was changed > by a single bit anywhere is refused"),
      ),
    ],
  },
};
