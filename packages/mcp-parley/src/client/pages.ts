import { ParleyError } from "../protocol/errors.js";
import type { PaginatedResult } from "../protocol/features.js";
import { MAX_PAGES } from "./limits.js";

/**
 * A list the server gives page by page. Going through it with `for await` gives its items, and asks
 * for a page only once the one before is used up; going through it again asks anew.
 * Specification: server/utilities/pagination.
 */
export class Pages<Item, Page extends PaginatedResult> implements AsyncIterable<Item> {
  readonly #read: (cursor: string | undefined) => Promise<Page>;
  readonly #itemsOf: (page: Page) => readonly Item[];

  /** `read` asks for the page a cursor leads to, undefined for the first. */
  constructor(
    read: (cursor: string | undefined) => Promise<Page>,
    itemsOf: (page: Page) => readonly Item[],
  ) {
    this.#read = read;
    this.#itemsOf = itemsOf;
  }

  /** The pages as the server gives them. */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    let cursor: string | undefined;
    do {
      const page = await this.#read(cursor);
      yield page;
      const next: unknown = page.nextCursor; // opaque: an empty one leads on, too
      cursor = typeof next === "string" ? next : undefined;
    } while (cursor !== undefined);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* this.#itemsOf(page);
  }

  /** All items. `result_invalid` from a server whose list does not end within a thousand pages. */
  async all(): Promise<Item[]> {
    const items: Item[] = [];
    let read = 0;
    for await (const page of this.pages()) {
      read += 1;
      if (read > MAX_PAGES) {
        throw new ParleyError(
          "result_invalid",
          `The server's list has no end after ${MAX_PAGES} pages.`,
        );
      }
      for (const item of this.#itemsOf(page)) items.push(item);
    }
    return items;
  }
}
