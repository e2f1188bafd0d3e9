import { isParleyError, ParleyError } from "../protocol/errors.js";
import { isObject } from "../protocol/json.js";
import { unavailable, type Verdict } from "./in-time.js";

/** Serialization failure and deadlock: others were in the way, nothing was done. */
const IN_THE_WAY: ReadonlySet<string> = new Set(["40001", "40P01"]);

const UNDEFINED_TABLE = "42P01";
const DISK_FULL = "53100";

/** Connection exceptions, and a server that is going down or coming up. */
const CONNECTION = /^(?:08...|57P0[1-3])$/;

/** What a failure of PostgreSQL or of the way to it means. */
export function judgePostgres(failure: unknown): Verdict {
  if (isParleyError(failure)) return failure;
  const code = isObject(failure) ? failure["code"] : undefined;
  // What isn't a SQLSTATE of five characters was said by the client or the network.
  if (typeof code !== "string" || !/^[0-9A-Z]{5}$/.test(code)) return "again";
  if (IN_THE_WAY.has(code) || CONNECTION.test(code)) return "again";
  switch (code) {
    case UNDEFINED_TABLE:
      return new ParleyError(
        "usage",
        "The postgres store has no tables yet: run `parley store migrate URL`, or migratePostgres(pool), once",
        { cause: failure },
      );
    case DISK_FULL:
      return new ParleyError(
        "store_full",
        "The disk of the postgres store is full: make room, or shorten the life of states",
        { cause: failure },
      );
    default:
      return unavailable("postgres", `answered SQLSTATE ${code}: see the cause`, failure);
  }
}
