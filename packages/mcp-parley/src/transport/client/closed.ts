import { ParleyError } from "../../protocol/errors.js";

/** For a request under way when its transport was closed, or one that came later. */
export function closed(): ParleyError {
  return new ParleyError("transport_failed", "The client is closed: connect again.");
}
