import { META_SERVER_INFO } from "../protocol/meta.js";
import type { CacheHints, Implementation } from "../protocol/features.js";
import type { MetaObject } from "../protocol/jsonrpc.js";

/** What a server adds to every complete result, as text made once. */
export class ResultText {
  /** The members of `_meta` that name the server, without braces. */
  readonly meta: string;
  readonly #info: Implementation;

  constructor(info: Implementation) {
    this.#info = info;
    this.meta = `"${META_SERVER_INFO}":${JSON.stringify(info)}`;
  }

  /**
   * A complete result as JSON text. `hints` are there on the results that can be cached, and on no
   * others. Specification: basic/index (ResultType), server/utilities/caching.
   */
  complete(result: object, hints?: CacheHints): string {
    if (Object.hasOwn(result, "_meta") || Object.hasOwn(result, "resultType")) {
      const given = (result as { _meta?: MetaObject })._meta;
      const _meta = { ...given, [META_SERVER_INFO]: this.#info };
      return JSON.stringify({ ...result, ...hints, resultType: "complete", _meta });
    }
    const members = JSON.stringify(result).slice(1, -1);
    const cached =
      hints === undefined
        ? ""
        : `,"ttlMs":${String(hints.ttlMs)},"cacheScope":"${hints.cacheScope}"`;
    const separator = members === "" ? "" : ",";
    return `{"resultType":"complete"${separator}${members}${cached},"_meta":{${this.meta}}}`;
  }
}
