import { readFileSync } from "node:fs";
import type { JSONObject } from "../../src/protocol/json.js";

/** An example message of the revision. */
export function sample(name: string): JSONObject {
  const file = new URL(`samples/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")) as JSONObject;
}
