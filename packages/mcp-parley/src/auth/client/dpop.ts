import * as oauth from "oauth4webapi";
import { ParleyError } from "../../protocol/errors.js";
import { AuthorizationError } from "./errors.js";
import type { Issuer } from "./issuer.js";

/** A key pair for proofs: ES256 (ECDSA on P-256). Best one whose private key can't be exported. */
export interface DpopKeyPair {
  readonly privateKey: oauth.CryptoKey;
  /** Goes out with each proof, and has to be one that can be exported. */
  readonly publicKey: oauth.CryptoKey;
}

/** What every server that knows DPoP has. */
const ALGORITHM = "ES256";

/**
 * The key that one authorization server's tokens are bound to. It makes proofs and is never given
 * away. Specification: RFC 9449.
 */
export class Binding {
  /** Which key it is (RFC 7638). */
  readonly thumbprint: string;
  /** For requests to the token endpoint; knows the nonces it was given there. */
  readonly handle: oauth.DPoPHandle;
  readonly #pair: DpopKeyPair;

  private constructor(pair: DpopKeyPair, handle: oauth.DPoPHandle, thumbprint: string) {
    this.#pair = pair;
    this.handle = handle;
    this.thumbprint = thumbprint;
  }

  static async of(pair: DpopKeyPair): Promise<Binding> {
    const handle = oauth.DPoP({}, pair);
    return new Binding(pair, handle, await handle.calculateThumbprint());
  }

  /**
   * The proof for one POST to a server. Its nonce is the server's own, whatever the authorization
   * server at the same origin may have given (RFC 9449, section 9).
   */
  async proof(url: string, accessToken: string, nonce: string | undefined): Promise<string> {
    const handle = oauth.DPoP({}, this.#pair, {
      [oauth.modifyAssertion](_header, claims) {
        claims["nonce"] = nonce;
      },
    });
    let proof = "";
    // The library makes proofs only for requests of its own: this one goes nowhere.
    await oauth.protectedResourceRequest(accessToken, "POST", new URL(url), undefined, undefined, {
      DPoP: handle,
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch](_url, { headers }) {
        proof = headers["dpop"] ?? "";
        return Promise.resolve(new Response());
      },
    });
    return proof;
  }
}

/** Gives the key for an authorization server's tokens: the same one whenever it is asked for. */
export type Bind = (issuer: Issuer) => Promise<Binding>;

/**
 * Binds tokens as an option says: to a key pair the host has, or to one made for each authorization
 * server, so that no two can tell by it that they have the same client. Undefined where tokens are
 * not to be bound; throws `usage` for a pair that is none.
 */
export function bindingBy(option: boolean | DpopKeyPair | undefined): Bind | undefined {
  if (option === undefined || option === false) return undefined;
  const given = option === true ? undefined : checked(option);
  const bindings = new Map<string, Promise<Binding>>();
  const make = async (): Promise<Binding> =>
    Binding.of(given ?? (await oauth.generateKeyPair(ALGORITHM)));
  return async (issuer) => {
    const { issuer: name, dpop_signing_alg_values_supported: algorithms } = issuer;
    if (algorithms?.includes(ALGORITHM) !== true) {
      throw new AuthorizationError(
        "dpop_unsupported",
        `The authorization server ${name} does not say that it binds tokens to keys of ${ALGORITHM} (dpop_signing_alg_values_supported): leave dpop out for this server, or have it switched on there.`,
      );
    }
    const binding = bindings.get(name) ?? make();
    bindings.set(name, binding);
    return binding;
  };
}

function checked(pair: DpopKeyPair): DpopKeyPair {
  const { privateKey, publicKey } = pair as Partial<DpopKeyPair>;
  const isGood =
    isP256(privateKey, "private") &&
    privateKey?.usages.includes("sign") === true &&
    isP256(publicKey, "public") &&
    publicKey?.extractable === true;
  if (isGood) return pair;
  throw new ParleyError(
    "usage",
    "dpop: give true, or a key pair of ECDSA on P-256 whose private key is for signing.",
  );
}

function isP256(key: oauth.CryptoKey | undefined, type: "private" | "public"): boolean {
  const { namedCurve } = (key?.algorithm ?? {}) as { namedCurve?: string };
  return namedCurve === "P-256" && key?.type === type;
}
