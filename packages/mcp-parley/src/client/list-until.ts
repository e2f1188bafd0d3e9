import type { PaginatedResult } from "../protocol/features.js";
import { MAX_PAGES } from "./limits.js";
import { Pages } from "./pages.js";

/**
 * Reads a list page by page until `isEnough`, and says whether it ever was: not where the list ends
 * before, or has no end within a thousand pages. `read` asks for the page these params lead to.
 */
export async function listUntil(
  read: (params: Readonly<Record<string, unknown>>) => Promise<PaginatedResult>,
  isEnough: () => boolean,
): Promise<boolean> {
  if (isEnough()) return true; // meanwhile, by a list somebody else asked for
  const pages = new Pages<never, PaginatedResult>(
    (cursor) => read(cursor === undefined ? {} : { cursor }),
    () => [],
    Infinity,
  ).pages();
  for (let count = 0; count < MAX_PAGES; count += 1) {
    const { done } = await pages.next();
    if (done === true) return false;
    if (isEnough()) return true;
  }
  return false;
}
