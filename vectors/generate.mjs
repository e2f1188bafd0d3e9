/*
 * Makes vectors/*.json from the second implementation in format.mjs.
 *
 *   node vectors/generate.mjs           writes the files
 *   node vectors/generate.mjs --check   fails if they are not what it would write
 */
import { hkdfSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import {
  bytesOf,
  hashName,
  keyId,
  pad,
  personTag,
  principalTag,
  requestDigest,
  seal,
  sealedToken,
  signedToken,
  storedToken,
  subKey,
} from "./format.mjs";

/** Bytes that look like nothing in particular and are the same in every run. */
const bytes = (label, size) => Buffer.from(hkdfSync("sha256", "parley vectors", "", label, size));

const K1 = bytes("key 1", 32);
const K2 = bytes("key 2", 32);
const K3 = bytes("key 3", 32);
const text = (key) => key.toString("base64url");

const NOW = 1_800_000_000_000;
const ALICE = { issuer: "https://id.example", subject: "alice", client: "c1" };
const AUDIENCE = "repo-janitor";
const METHOD = "tools/call";
const PARAMS = { name: "delete_branch", arguments: { branch: "old", force: false } };
const REQUEST = requestDigest(METHOD, PARAMS).digest;

const CLAIMS = {
  request: REQUEST,
  issuedAt: NOW - 30_000,
  expiresAt: NOW + 570_000,
  deadline: NOW + 3_570_000,
  flow: bytes("flow", 16).toString("base64url"),
  use: bytes("use", 16).toString("base64url"),
  round: 2,
  epoch: null,
  asked: [{ key: "why", digest: hashName("a question") }],
  journal: { sure: { action: "accept", content: { note: "grüße 😀 \ud800" } } },
};

function payloadOf(key, { claims = {}, audience = AUDIENCE, principal = ALICE, ...more } = {}) {
  const all = { ...CLAIMS, ...claims };
  return JSON.stringify({
    v: 1,
    aud: audience,
    sub: principalTag(key, principal),
    req: all.request,
    iat: all.issuedAt,
    exp: all.expiresAt,
    end: all.deadline,
    flow: all.flow,
    use: all.use,
    round: all.round,
    epoch: all.epoch,
    asked: all.asked.map(({ key: name, digest }) => [name, digest]),
    journal: all.journal,
    ...more,
  });
}

function statesFile() {
  const context = {
    ring: [text(K1), text(K2)],
    audience: AUDIENCE,
    principal: ALICE,
    request: REQUEST,
    now: NOW,
  };
  const opened = (claims = {}) => ({ ok: true, claims: { ...CLAIMS, ...claims } });
  const refused = (refusal, tell = null) => ({ ok: false, refusal, tell });
  const cases = [];
  const add = (name, codec, token, expected, change = {}) =>
    cases.push({ name, codec, token, ...context, ...change, expected });

  const nonce = bytes("nonce", 24);
  const make = {
    sealed: (key, payload) => sealedToken(key, payload, nonce),
    signed: signedToken,
  };
  for (const codec of ["sealed", "signed"]) {
    const good = make[codec](K1, payloadOf(K1));
    const raw = Buffer.from(good.split(".").at(-1), "base64url");
    const withTail = (tail) => [...good.split(".").slice(0, -1), tail].join(".");
    const flipped = (at) => {
      const copy = Buffer.from(raw);
      copy[at] ^= 1;
      return withTail(copy.toString("base64url"));
    };
    const of = (options, key = K1) => make[codec](key, payloadOf(key, options));

    add("opens", codec, good, opened(), { sealsWith: { key: text(K1), nonce: text(nonce) } });
    add("opens under a key that no longer seals", codec, of({}, K2), opened());
    add("opens for nobody in particular", codec, of({ principal: null }), opened(), {
      principal: null,
    });
    const { client: _, ...clientless } = ALICE;
    add("opens without a client", codec, of({ principal: clientless }), opened(), {
      principal: clientless,
    });
    add("opens 60 s before it was issued", codec, good, opened(), { now: NOW - 90_000 });
    add("opens in its last millisecond", codec, good, opened(), { now: NOW + 569_999 });
    add(
      "opens with white space after its payload",
      codec,
      make[codec](K1, payloadOf(K1) + " \n"),
      opened(),
    );
    add("opens with an epoch", codec, of({ claims: { epoch: "e1" } }), opened({ epoch: "e1" }));

    add("is empty", codec, "", refused("state_malformed"));
    add("is the prefix alone", codec, good.slice(0, 3), refused("state_malformed"));
    add("has another prefix", codec, "x" + good.slice(1), refused("state_malformed"));
    add("has padding", codec, good + "=", refused("state_malformed"));
    add("has a space behind it", codec, good + " ", refused("state_malformed"));
    add("has a line break behind it", codec, good + "\n", refused("state_malformed"));
    add(
      "is in the other base64 alphabet",
      codec,
      withTail(raw.toString("base64").replace(/=+$/, "")),
      refused("state_malformed"),
    );
    add(
      "is too short",
      codec,
      withTail(raw.subarray(0, 39).toString("base64url")),
      refused("state_malformed"),
    );
    add("is too large", codec, good.slice(0, 3) + "A".repeat(32_766), refused("state_too_large"));
    add("names a key that is not on the ring", codec, of({}, K3), refused("state_unknown_key"));
    add(
      "names another key of the ring",
      codec,
      withTail(Buffer.concat([keyId(K2), raw.subarray(8)]).toString("base64url")),
      refused("state_forged"),
    );
    add("has its first bit after the key id flipped", codec, flipped(8), refused("state_forged"));
    add("has its last bit flipped", codec, flipped(raw.length - 1), refused("state_forged"));
    add("is of another payload version", codec, of({ v: 2 }), refused("state_version"));
    add("holds no JSON", codec, make[codec](K1, "{"), refused("state_malformed"));
    add("holds no object", codec, make[codec](K1, "[]"), refused("state_malformed"));
    add("holds a claim of the wrong shape", codec, of({ exp: "soon" }), refused("state_malformed"));
    add("lacks a claim", codec, of({ use: undefined }), refused("state_malformed"));
    add("is another server's", codec, of({ audience: "other" }), refused("state_audience"));
    add("is another user's", codec, good, refused("state_principal"), {
      principal: { ...ALICE, subject: "bob" },
    });
    add("is the same user's through another client", codec, good, refused("state_principal"), {
      principal: { ...ALICE, client: "c2" },
    });
    add("is presented by nobody", codec, good, refused("state_principal"), { principal: null });
    add(
      "is nobody's, presented by a user",
      codec,
      of({ principal: null }),
      refused("state_principal"),
    );
    add("is another request's", codec, good, refused("state_request"), {
      request: requestDigest(METHOD, { ...PARAMS, arguments: { branch: "main" } }).digest,
    });
    add("comes 60.001 s before it was issued", codec, good, refused("state_not_yet"), {
      now: NOW - 90_001,
    });
    add("has expired", codec, good, refused("state_expired", "expired"), { now: NOW + 570_000 });
    add(
      "is past its flow's deadline",
      codec,
      of({ claims: { deadline: NOW } }),
      refused("state_deadline", "expired"),
    );
    add(
      "has expired and is another user's: only that is seen",
      codec,
      good,
      refused("state_principal"),
      {
        now: NOW + 570_000,
        principal: { ...ALICE, subject: "bob" },
      },
    );
    add(
      "has expired and is another request's: only that is seen",
      codec,
      good,
      refused("state_request"),
      {
        now: NOW + 570_000,
        request: REQUEST.replace(/^./, "_"),
      },
    );
  }
  const unpadded =
    "p1." + seal(K1, "state", [], nonce, bytesOf(payloadOf(K1))).toString("base64url");
  add("opens without padding", "sealed", unpadded, opened());
  const ticketLike =
    "p1." + seal(K1, "ticket", [], nonce, pad(payloadOf(K1), 256)).toString("base64url");
  add("was sealed for another purpose", "sealed", ticketLike, refused("state_forged"));

  const store = {
    handle: bytes("handle", 16),
    handleNonce: nonce,
    bodyNonce: bytes("body nonce", 24),
    flow: CLAIMS.flow,
    deadline: CLAIMS.deadline,
  };
  const kept = storedToken(K1, payloadOf(K1), store);
  const [flowRow, stateRow] = kept.rows;
  const stored = (name, expected, rows, change = {}) =>
    add(name, "stored", kept.token, expected, { rows, ...change });
  stored("opens", opened(), kept.rows);
  stored("is another user's", refused("state_principal"), kept.rows, { principal: null });
  stored("is not in the store any more", refused("state_expired"), [flowRow]);
  stored("is of a revoked flow", refused("state_revoked"), [
    { ...flowRow, owner: "revoked" },
    stateRow,
  ]);
  stored("is of a flow the store does not know", refused("state_revoked"), [stateRow]);
  stored("was put under another flow", refused("state_forged"), [
    flowRow,
    { ...stateRow, mark: hashName("another flow") },
  ]);
  stored("lies there changed", refused("state_forged"), [
    flowRow,
    { ...stateRow, body: stateRow.body.replace(/.{4}$/, "AAAA") },
  ]);
  const forged = Buffer.from(kept.token.slice(3), "base64url");
  forged[40] ^= 1;
  add(
    "has a made-up handle",
    "stored",
    "h1." + forged.toString("base64url"),
    refused("state_forged"),
    { rows: kept.rows },
  );
  return { about: "Tokens, what they are held against, and what opening them comes to.", cases };
}

function keysFile() {
  const key = (bytes_) => ({
    key: text(bytes_),
    id: keyId(bytes_).toString("hex"),
    stateSealing: subKey(bytes_, "seal", "state").toString("hex"),
    statePrincipal: subKey(bytes_, "mac", "state principal").toString("hex"),
    custom: subKey(bytes_, "custom", "mine").toString("hex"),
  });
  return {
    about: "Keys, their ids, and sub-keys for some purposes; texts that are no keys.",
    keys: [K1, K2, K3].map(key),
    spellings: [
      text(K1),
      K1.toString("base64"),
      K1.toString("base64").replace("=", ""),
      K1.toString("hex"),
      K1.toString("hex").toUpperCase(),
    ].map((spelling) => ({ text: spelling, id: keyId(K1).toString("hex") })),
    refused: [
      "",
      "correct horse battery staple",
      "correct-horse-battery-staple-is-not-a-key-x",
      text(K1).slice(1),
      text(K1) + "A",
      text(K1).slice(0, -1) + "B",
      "0".repeat(64),
      "A".repeat(43),
    ],
  };
}

function principalsFile() {
  const { issuer, subject } = ALICE;
  const principals = [
    null,
    ALICE,
    { issuer, subject },
    { issuer, subject, client: "" },
    { issuer: "", subject: "" },
    { issuer: issuer + subject, subject: "", client: "c1" },
    { issuer, subject: "Łukasz 😀" },
  ];
  return {
    about: "Tags that bind a state, and a ticket, to who is calling. null is an anonymous caller.",
    cases: principals.map((principal) => ({
      key: text(K1),
      principal,
      state: principalTag(K1, principal),
      ticket: personTag(K1, principal),
    })),
  };
}

function requestsFile() {
  const cases = [
    [METHOD, PARAMS],
    [METHOD, { arguments: { force: false, branch: "old" }, name: "delete_branch" }],
    [METHOD, { ...PARAMS, _meta: { progressToken: 1 }, inputResponses: {}, requestState: "s" }],
    [METHOD, { name: "t", arguments: { n: [1e21, 1e-7, -0, 333333333.33333329, 4.5] } }],
    [METHOD, { name: "t", arguments: { "\u20ac": 1, "\r": 2, "\ufb33": 3, 1: 4, "\u{1f600}": 5 } }],
    [METHOD, { name: "t", arguments: { deep: [{ a: [{ _meta: "stays" }] }] } }],
    [METHOD, PARAMS, ["branch"]],
    [METHOD, PARAMS, ["branch", "no such"]],
    [METHOD, PARAMS, []],
    ["prompts/get", { name: "p" }],
    ["resources/read", { uri: "file:///Załączniki/raport.pdf" }],
  ];
  return {
    about: "Requests and the digests that states are bound to.",
    cases: cases.map(([method, params, salient]) => ({
      method,
      params,
      ...(salient && { salient }),
      ...requestDigest(method, params, salient),
    })),
    refused: [
      { method: METHOD, params: { name: "t", arguments: "\ud800" } },
      { method: METHOD, params: { name: "t", arguments: { "\udc00": 1 } } },
      {
        method: METHOD,
        params: { name: "t", arguments: JSON.parse("[".repeat(32) + "]".repeat(32)) },
      },
    ],
  };
}

function ticketsFile() {
  const nonce = bytes("ticket nonce", 24);
  const content = (change = {}) =>
    JSON.stringify({
      v: 1,
      aud: AUDIENCE,
      sub: personTag(K1, ALICE),
      exp: NOW + 3_600_000,
      flow: CLAIMS.flow,
      key: "sign in",
      ...change,
    });
  const make = (plain, purpose = "ticket") =>
    "t1." + seal(K1, purpose, [], nonce, pad(plain, 64)).toString("base64url");
  const good = make(content());
  const context = { ring: [text(K2), text(K1)], audience: AUDIENCE, principal: ALICE, now: NOW };
  const opened = { ok: true, flow: CLAIMS.flow, key: "sign in", until: NOW + 3_600_000 };
  const refused = (refusal) => ({ ok: false, refusal });
  const one = (name, ticket, expected, change = {}) => ({
    name,
    ticket,
    ...context,
    ...change,
    expected,
  });
  return {
    about: "Tickets of links, what they are held against, and what opening them comes to.",
    cases: [
      one("opens", good, opened),
      one("opens for the same person through a page", good, opened, {
        principal: { issuer: ALICE.issuer, subject: ALICE.subject },
      }),
      one("is another person's", good, refused("ticket_principal"), {
        principal: { ...ALICE, subject: "bob" },
      }),
      one("is opened by nobody", good, refused("ticket_principal"), { principal: null }),
      one("has expired", good, refused("ticket_expired"), { now: NOW + 3_600_000 }),
      one("is another server's", make(content({ aud: "other" })), refused("ticket_audience")),
      one("is of another version", make(content({ v: 2 })), refused("ticket_malformed")),
      one("was sealed for another purpose", make(content(), "state"), refused("ticket_forged")),
      one("names a key that is not on the ring", good, refused("ticket_unknown_key"), {
        ring: [text(K2)],
      }),
      one("has padding", good + "=", refused("ticket_malformed")),
      one("is cut", good.slice(0, 60), refused("ticket_malformed")),
      one("is longer than a URL should be", "t1." + "A".repeat(4094), refused("ticket_malformed")),
    ],
  };
}

const files = {
  "keys.json": keysFile(),
  "principals.json": principalsFile(),
  "requests.json": requestsFile(),
  "states.json": statesFile(),
  "tickets.json": ticketsFile(),
};

let stale = 0;
for (const [name, content] of Object.entries(files)) {
  const file = new URL(name, import.meta.url);
  const written = JSON.stringify(content, null, 2) + "\n";
  if (!process.argv.includes("--check")) writeFileSync(file, written);
  else if (readFileSync(file, "utf8") !== written) {
    console.error(`vectors/${name} is not what vectors/generate.mjs writes`);
    stale += 1;
  }
}
process.exitCode = stale === 0 ? 0 : 1;
