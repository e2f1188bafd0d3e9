/*
 * What docs/state-format.md says, written a second time and on its own: it shares no code with the
 * library, which has to make and take the same bytes. For generating vectors, not for use.
 */
import { createCipheriv, createHash, createHmac, hkdfSync } from "node:crypto";
import canonicalize from "canonicalize";

export const bytesOf = (part) => (typeof part === "string" ? Buffer.from(part, "utf8") : part);

function tuple(...parts) {
  return Buffer.concat(
    parts.flatMap((part) => {
      const bytes = bytesOf(part);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );
}

const sha256 = (bytes) => createHash("sha256").update(bytes).digest();
export const keyId = (key) => sha256(tuple("parley1", "key id", key)).subarray(0, 8);
export const subKey = (key, kind, purpose) =>
  Buffer.from(hkdfSync("sha256", key, "", tuple("parley1", kind, purpose), 32));
const mac = (key, purpose, data) =>
  createHmac("sha256", subKey(key, "mac", purpose))
    .update(data)
    .digest();

/** AES-256 of one block. */
function aes(key, block) {
  const cipher = createCipheriv("aes-256-ecb", key, null).setAutoPadding(false);
  return Buffer.concat([cipher.update(block), cipher.final()]);
}

/** c2sp.org/XAES-256-GCM, straight from its text, on big integers. */
function xaes(key, nonce, plaintext, aad) {
  const l = BigInt("0x" + aes(key, Buffer.alloc(16)).toString("hex"));
  const doubled = (l << 1n) & ((1n << 128n) - 1n);
  const k1 = l >> 127n === 0n ? doubled : doubled ^ 0b10000111n;
  const derive = (counter) => {
    const m = Buffer.concat([Buffer.from([0, counter, 0x58, 0]), nonce.subarray(0, 12)]);
    const mixed = BigInt("0x" + m.toString("hex")) ^ k1;
    return aes(key, Buffer.from(mixed.toString(16).padStart(32, "0"), "hex"));
  };
  const derived = Buffer.concat([derive(1), derive(2)]);
  const gcm = createCipheriv("aes-256-gcm", derived, nonce.subarray(12));
  gcm.setAAD(aad);
  return Buffer.concat([gcm.update(plaintext), gcm.final(), gcm.getAuthTag()]);
}

export function seal(key, purpose, bind, nonce, plaintext) {
  const aad = Buffer.concat([tuple("parley1", keyId(key), purpose), tuple(...bind)]);
  const box = xaes(subKey(key, "seal", purpose), nonce, plaintext, aad);
  return Buffer.concat([keyId(key), nonce, box]);
}

export function pad(text, step) {
  const bytes = bytesOf(text);
  return Buffer.concat([bytes, Buffer.alloc((step - (bytes.length % step)) % step, 0x20)]);
}

function principalParts(principal) {
  if (principal === null) return ["anonymous"];
  const { issuer, subject, client } = principal;
  const parts = ["principal", issuer, subject];
  return client === undefined ? parts : [...parts, "client", client];
}

export const principalTag = (key, principal) =>
  mac(key, "state principal", tuple(...principalParts(principal))).toString("base64url");

/** A ticket is for a person: the client does not count. */
export const personTag = (key, principal) =>
  mac(
    key,
    "ticket principal",
    tuple(...principalParts(principal && { ...principal, client: undefined })),
  ).toString("base64url");

export const sealedToken = (key, payload, nonce) =>
  "p1." + seal(key, "state", [], nonce, pad(payload, 256)).toString("base64url");

export function signedToken(key, payload) {
  const bytes = bytesOf(payload);
  const proof = mac(key, "signed state", tuple("parley1", keyId(key), "signed state", bytes));
  const tail = Buffer.concat([keyId(key), proof]).toString("base64url");
  return `s1.${bytes.toString("base64url")}.${tail}`;
}

export const hashName = (text) => sha256(bytesOf(text)).toString("base64url");

export function storedToken(key, payload, { handle, handleNonce, bodyNonce, flow, deadline }) {
  const handleText = handle.toString("base64url");
  const flowRow = hashName(`parley stored flow ${flow}`);
  const body = seal(key, "stored state", [handleText, flowRow], bodyNonce, bytesOf(payload));
  return {
    token: "h1." + seal(key, "state handle", [], handleNonce, handle).toString("base64url"),
    rows: [
      {
        name: flowRow,
        owner: hashName(`parley stored flow owner ${flow}`),
        mark: String(deadline),
        body: "",
      },
      {
        name: hashName(`parley stored state ${handleText}`),
        owner: "any",
        mark: flowRow,
        body: body.toString("base64url"),
      },
    ],
  };
}

export function requestDigest(method, params, salient) {
  const kept = Object.fromEntries(
    Object.entries(params).filter(
      ([name]) => !["_meta", "inputResponses", "requestState"].includes(name),
    ),
  );
  if (salient && kept.arguments !== undefined) {
    kept.arguments = Object.fromEntries(
      Object.entries(kept.arguments).filter(([name]) => salient.includes(name)),
    );
  }
  const canonical = canonicalize([method, kept]);
  return { canonical, digest: hashName(canonical) };
}
