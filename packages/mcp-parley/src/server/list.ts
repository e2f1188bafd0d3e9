import type { CacheHints } from "../protocol/features.js";
import type { Principal } from "../state/principal.js";
import type { ResultText } from "./result-text.js";

/** Whether a caller is shown something and may use it. */
export type Visible = (principal: Principal | undefined) => boolean;

/** How lists are given. */
export interface ListOptions {
  readonly hints: CacheHints;
  /** The most items of one page; undefined gives everything at once. */
  readonly pageSize: number | undefined;
}

interface Item<T> {
  readonly shown: T;
  readonly visible: Visible | undefined;
}

const FIRST = "";
const CURSOR = /^at-(\d{1,9})$/;

/**
 * A list a client can ask for, in the order things were added. A page is made once, unless what a
 * caller sees depends on who it is; such a list is private whatever the hints say.
 * Specification: server/utilities/pagination.
 */
export class List<T> {
  readonly #name: string;
  readonly #options: ListOptions;
  readonly #results: ResultText;
  readonly #items: Item<T>[] = [];
  readonly #pages = new Map<string, string>();
  #isGated = false;

  constructor(name: string, options: ListOptions, results: ResultText) {
    this.#name = name;
    this.#options = options;
    this.#results = results;
  }

  get size(): number {
    return this.#items.length;
  }

  add(shown: T, visible: Visible | undefined): void {
    this.#items.push({ shown, visible });
    this.#isGated ||= visible !== undefined;
    this.#pages.clear();
  }

  /** One page as a complete result's text; undefined for a cursor that is none of this list's. */
  page(cursor: string | undefined, principal: Principal | undefined): string | undefined {
    const known = this.#isGated ? undefined : this.#pages.get(cursor ?? FIRST);
    if (known !== undefined) return known;
    const start = cursor === undefined ? 0 : Number(CURSOR.exec(cursor)?.[1] ?? NaN);
    const items = this.#items.filter(({ visible }) => visible?.(principal) ?? true);
    if (!(start === 0 || start < items.length)) return undefined;
    const end = start + (this.#options.pageSize ?? Infinity);
    const page = {
      [this.#name]: items.slice(start, end).map(({ shown }) => shown),
      ...(end < items.length ? { nextCursor: `at-${String(end)}` } : {}),
    };
    const text = this.#results.complete(page, this.#hints());
    if (!this.#isGated) this.#pages.set(cursor ?? FIRST, text);
    return text;
  }

  #hints(): CacheHints {
    const { hints } = this.#options;
    return this.#isGated ? { ...hints, cacheScope: "private" } : hints;
  }
}
