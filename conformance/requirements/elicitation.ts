import {
  abort,
  answers,
  canaries,
  cliCommand,
  cliHostile,
  cliLinks,
  cliTerminal,
  fieldServer,
  flows,
  formContent,
  formSchema,
  http,
  input,
  links,
  moved,
  pending,
  sampling,
  shapes,
  signIn,
  stored,
  tickets,
  tokens,
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
} from "./requirement.js";

const AUTHORS = "what a server asks for, and where it sends people, is its author's to say";
const HOST_ASKS =
  "the host's function gives the answer: what people see before it does is the host's to make";
const THIRD_PARTY = "it binds the page a link leads to, which is the author's";

const yesAsked = cliTerminal(
  "at a terminal > a plain yes is asked for, with the server, the tool and both ways out in sight",
);
const formFilled = cliTerminal(
  "at a terminal > a form is filled in, checked in place, reviewed, changed and sent",
);
const pageOpened = cliTerminal(
  "at a terminal > a page is opened only after a yes, its whole address shown",
);
const secretTold = sampling(
  "a form that asks for a secret > in a field called %s is told of, to events and log",
);
const declared = answers("what a client declares > %s");
const notFetched = answers("a link's accept goes out without content, and nobody fetches the URL");
const opensForOne = links("the ticket of a link > sent on to somebody else opens for none of them");
const nothingInLink = links(
  "the ticket of a link > is all that stands in the link: no state, no answer, nobody's name",
);
const credentials = links(
  "the address of a link > that carries credentials never leaves this library's servers",
);
const signedIn = signIn("refuses Ann's link to Bob, and goes on once Ann has connected");
const verified = tokens(
  "A token through %s > of a user, from a real authorization server, is its issuer, subject, client and scopes",
);

/** The page `client/elicitation`. */
export const elicitation: Page = {
  path: "client/elicitation",
  keyWords: { MUST: 22, "MUST NOT": 12, SHOULD: 11, "SHOULD NOT": 3 },
  sections: {
    "User Interaction Model": [
      mustNot("author", "a form does not ask for secrets", secretTold, notOurs(AUTHORS)),
      must("author", "a link does", signedIn, notOurs(AUTHORS)),
      must(
        "host",
        "it is clear which server asks",
        yesAsked,
        answers("every kind of question reaches its function, and its answer the server, bare"),
      ),
      also(must)(
        "host",
        "there is a way to decline and one to cancel",
        yesAsked,
        answers("decline and cancel go out without content"),
      ),
      also(must)("host", "a form can be looked over and changed before it is sent", formFilled),
      also(must)(
        "host",
        "a link's host is shown, and the person agrees, before it is opened",
        pageOpened,
      ),
    ],
    Capabilities: [
      must("client", "who can be asked says so, each time", declared),
      must("client", "by one mode at least", declared),
      mustNot(
        "server",
        "nobody is asked by another mode",
        fieldServer(
          "shapes > bare elicitation means form; url only does not, and -32021 names the exact one",
        ),
        shapes(
          "what is no answer ends the call at once, and nothing is sent again > a kind of question that was not declared",
        ),
      ),
    ],
    "Elicitation Requests": [
      must(
        "server",
        "a question has a message",
        fieldServer("questions > a question without a message is refused"),
        input("readInputRequests > refuses %j, and says which it was"),
      ),
      must("client", "without a mode it is a form", answers("a form without a mode is a form")),
    ],
    "Form Mode Elicitation Requests": [
      must(
        "server",
        "a form has its mode and its schema",
        formSchema("a form's schema > stays as it is where it says only what the protocol does"),
        referee("server", "input-required-result-basic-elicitation"),
      ),
    ],
    "Requested Schema": [
      should(
        "client",
        "a field begins with its default",
        answers("accepted content > is sent with the defaults of the fields that are missing"),
        formFilled,
      ),
    ],
    "URL Mode Elicitation Requests": [
      must(
        "server",
        "a link has its mode, message and address",
        flows("%s > %s > makes a link's address once and seals it"),
        input("readInputRequests > refuses %j, and says which it was"),
      ),
      must(
        "server",
        "the address is one",
        fieldServer("questions > a link to %s is refused"),
        links("the address of a link > %s never leaves this library's servers"),
      ),
    ],
    "Example: Request Sensitive Data": [
      should(
        "host",
        "a person can go on, or give up, when it suits them",
        pending("it is answered bit by bit, stored in between, and resumed by another client"),
        notOurs(HOST_ASKS),
      ),
    ],
    Statefulness: [
      must(
        "server",
        "what is kept is somebody's",
        moved("somebody else's state > is refused in anybody's hands, and still its owner's"),
        stored(
          "states kept in a store > are not taken from another row, nor with another flow's row beside them",
        ),
      ),
      must(
        "server",
        "where it is kept, nobody reads it",
        stored(
          "states kept in a store > lie there sealed, under names that are hashes, and end by themselves",
        ),
        canaries(
          "whatever store there is, and with states kept in it, it is handed nothing that can be read",
        ),
      ),
      must(
        "server",
        "who somebody is comes from their credentials",
        verified,
        http("over %s > who calls > is whoever authenticate says, %s"),
      ),
    ],
    "URL Mode Elicitation for OAuth Flows": [
      mustNot("author", "a link does not sign people in to its own server", notOurs(AUTHORS)),
    ],
    "Understanding the Distinction": [
      mustNot(
        "author",
        "a third party's credentials do not pass the client",
        signedIn,
        notOurs(THIRD_PARTY),
      ),
      mustNot(
        "author",
        "the client's are not used there",
        notOurs(
          "a handler learns who calls and never by which token; what else it has is its author's",
        ),
      ),
      must(
        "author",
        "people authorize the server itself, in their browser",
        signedIn,
        notOurs(THIRD_PARTY),
      ),
      mustNot("author", "what the server got there stays there", signedIn, notOurs(THIRD_PARTY)),
    ],
    "Error Handling": [
      shouldNot(
        "server",
        "a yes is not counted on",
        flows("%s > %s > ends a tool's call that was %s, says which, and does nothing"),
      ),
      must(
        "server",
        "a no, and no answer, are handled",
        flows("%s > %s > ends a tool's call that was %s, says which, and does nothing"),
        flows("%s > %s > gives decline and cancel as values to who tries"),
      ),
    ],
    "Security Considerations": [
      must(
        "server",
        "a question is bound to client and user",
        moved(
          "somebody else's state > is refused to the same user of another client, and of no client",
        ),
        moved("somebody else's state > is refused to the other user of the same OAuth client"),
      ),
      must("host", "it is clear which server asks", yesAsked, notOurs(HOST_ASKS)),
      should("host", "people approve", yesAsked, pageOpened),
      should(
        "host",
        "they can decline at any time",
        yesAsked,
        abort(
          "over %s, an abort > while a person answers takes the question away, and nothing more is sent",
        ),
      ),
      should("host", "they see what is asked, and why", yesAsked, formFilled),
    ],
    "Safe URL Handling": [
      mustNot("author", "an address tells nothing of a person", nothingInLink, notOurs(AUTHORS)),
      mustNot("author", "nor does it open what is protected", opensForOne, credentials),
      shouldNot("author", "a form holds no links to click", notOurs(AUTHORS)),
      should(
        "author",
        "links are https",
        cliLinks("a link > %s comes with a warning"),
        notOurs(AUTHORS),
      ),
      must(
        "host",
        "links are handled with care",
        cliLinks("a link > %s is never opened"),
        links(
          "the address of a link > %s from a hostile server never reaches this library's hosts",
        ),
      ),
      mustNot(
        "client",
        "nothing is fetched ahead",
        notFetched,
        links(
          "the address of a link > is opened by a person alone: neither side of Parley fetches it",
        ),
      ),
      mustNot(
        "host",
        "nothing is opened without a yes",
        pageOpened,
        cliCommand("answers without a terminal > --yes never agrees to a page"),
      ),
      must(
        "host",
        "the whole address is shown first",
        pageOpened,
        cliLinks("a link > is shown whole, its host apart"),
      ),
      must(
        "host",
        "it opens where neither client nor model can look",
        pageOpened,
        notOurs(HOST_ASKS),
      ),
      should(
        "host",
        "its host stands out",
        pageOpened,
        cliLinks("a link > the host that is set apart is the one that would be asked"),
      ),
      should(
        "host",
        "what is suspicious comes with a warning",
        cliLinks("a link > %s comes with a warning"),
        cliTerminal(
          "at a terminal > a suspicious page comes with a warning, and Enter alone is a no",
        ),
      ),
      shouldNot(
        "host",
        "nothing else in a question can be clicked",
        cliHostile("nothing of a server's acts on the terminal > in its questions"),
      ),
    ],
    "Identifying the User": [
      mustNot(
        "server",
        "who the client says its user is counts for nothing",
        moved("somebody else's state > is not opened by claiming its owner's name in the request"),
      ),
      should("server", "credentials say it", verified),
    ],
    "Form Mode Security": [
      mustNot("author", "a form does not ask for secrets", secretTold, notOurs(AUTHORS)),
      should(
        "client",
        "what goes out fits the form",
        answers("accepted content > that is %s is refused here, by field, and nothing is sent"),
        formContent("validateContent > never throws, and agrees with a JSON Schema validator"),
      ),
      should(
        "server",
        "so does what comes in",
        flows("%s > %s > asks again, with the reason, when an accepted answer does not fit"),
        referee("server", "input-required-result-validate-input"),
      ),
    ],
    Phishing: [
      must(
        "server",
        "who opens a link is known before anything is taken",
        tickets("the ticket of a link > opens for nobody else"),
        signedIn,
      ),
      must(
        "server",
        "and is who was asked",
        opensForOne,
        links(
          "the ticket of a link > of an attacker's own flow does not open for the victim who is lured to it",
        ),
      ),
      must(
        "server",
        "whatever is done to the address",
        tickets("the ticket of a link > does not open with any character changed"),
        links(
          "the ticket of a link > that was made up, of markup, or a megabyte long is refused and not repeated",
        ),
      ),
    ],
  },
};
