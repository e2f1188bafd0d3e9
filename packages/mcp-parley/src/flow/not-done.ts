import { ParleyError } from "../protocol/errors.js";

/**
 * Thrown by an effect, or by its `recover`, to say that nothing happened to the world: the effect
 * may then be tried again in a later round. Its message reaches the user.
 */
export class NotDone extends ParleyError<"not_done"> {
  constructor(message: string, options?: ErrorOptions) {
    super("not_done", message, options);
  }
}
