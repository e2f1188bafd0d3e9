import { INVALID_PARAMS } from "../protocol/codes.js";
import { ParleyError, RpcError } from "../protocol/errors.js";
import type { PaginatedResult } from "../protocol/features.js";

/**
 * A list the server gives page by page. Going through it with `for await` gives its items, and asks
 * for a page only once the one before is used up; going through it again asks anew, save for pages
 * that are kept and still fresh. A list that does not end within `limits.pages`, as one whose cursors
 * lead in circles, is `result_invalid`.
 *
 * A cursor is the server's alone: it is passed on as it came, and not even compared with another.
 * Specification: server/utilities/pagination.
 */
export class Pages<Item, Page extends PaginatedResult> implements AsyncIterable<Item> {
  readonly #read: (cursor: string | undefined) => Promise<Page>;
  readonly #itemsOf: (page: Page) => readonly Item[];
  readonly #most: number;

  /** `read` asks for the page a cursor leads to, undefined for the first; `most` bounds the pages. */
  constructor(
    read: (cursor: string | undefined) => Promise<Page>,
    itemsOf: (page: Page) => readonly Item[],
    most: number,
  ) {
    this.#read = read;
    this.#itemsOf = itemsOf;
    this.#most = most;
  }

  /** The pages as the server gives them. */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    let cursor: string | undefined;
    for (let count = 0; count < this.#most; count += 1) {
      const page = await this.#read(cursor);
      yield page;
      const next: unknown = page.nextCursor; // an empty one leads on like any other
      if (typeof next !== "string") return;
      cursor = next;
    }
    throw new ParleyError(
      "result_invalid",
      `The server's list has no end after ${this.#most} pages: raise limits.pages if it is that long.`,
    );
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* this.#itemsOf(page);
  }

  /**
   * All items. Where the server no longer knows a cursor that it gave, the list is read once more
   * from its beginning (server/utilities/caching, Interaction with Pagination).
   */
  async all(): Promise<Item[]> {
    const items: Item[] = [];
    for (let isAgain = false; ; isAgain = true) {
      let read = 0;
      try {
        for await (const page of this.pages()) {
          read += 1;
          for (const item of this.#itemsOf(page)) items.push(item);
        }
        return items;
      } catch (error) {
        const isCursor = read > 0 && error instanceof RpcError && error.rpcCode === INVALID_PARAMS;
        if (isAgain || !isCursor) throw error;
        items.length = 0;
      }
    }
  }
}
