import type { Logger } from "../flow/options.js";

const SILENT: Logger = { warn: () => undefined, error: () => undefined };

/** The logger a setting means: the console where nothing is said, none where it is false. */
export function loggerOf(log: Logger | false | undefined): Logger {
  return log === false ? SILENT : (log ?? console);
}
