/** What `console` writes to stdout with. */
const METHODS = [
  "log",
  "info",
  "debug",
  "dir",
  "dirxml",
  "table",
  "group",
  "groupCollapsed",
  "count",
  "timeEnd",
  "timeLog",
] as const;

/**
 * Sends what `console` would print on stdout to stderr, since nothing but messages may be there: one
 * forgotten `console.log` would end the conversation. Gives the function that undoes it.
 * Specification: basic/transports/stdio.
 */
export function keepConsoleOffStdout(): () => void {
  const { console } = globalThis;
  const stderr = new console.Console({ stdout: process.stderr, stderr: process.stderr });
  const before = { ...console };
  for (const method of METHODS) console[method] = stderr[method].bind(stderr);
  return () => Object.assign(console, before);
}
