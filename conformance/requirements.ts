/**
 * What revision 2026-07-28 requires, page by page, and what shows that we keep to it; the words are
 * explained in requirements/requirement.ts. `requirements.test.ts` holds it against the tests there
 * are. `server/index` has no key words.
 */
import { authorization } from "./requirements/authorization.js";
import { basic } from "./requirements/basic.js";
import { client } from "./requirements/client.js";
import { patterns } from "./requirements/patterns.js";
import type { Page } from "./requirements/requirement.js";
import { server } from "./requirements/server.js";
import { transports } from "./requirements/transports.js";
import { versioning } from "./requirements/versioning.js";

export const PAGES: readonly Page[] = [
  basic,
  versioning,
  ...authorization,
  ...transports,
  ...patterns,
  ...client,
  ...server,
];
