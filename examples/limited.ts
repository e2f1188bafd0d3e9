import { createMcpServer, text } from "mcp-parley";
import type { McpServer, RateLimit } from "mcp-parley";

/** So many calls in a minute for each caller; rounds that carry a call on are not counted. */
export function perMinute(most: number, now: () => number = Date.now): RateLimit {
  const windows = new Map<string, { until: number; calls: number }>();
  return ({ method, principal, isRetry }) => {
    if (method !== "tools/call" || isRetry) return true;
    const who = JSON.stringify([principal?.issuer, principal?.subject]);
    let window = windows.get(who);
    if (window === undefined || window.until <= now()) {
      window = { until: now() + 60_000, calls: 0 };
      windows.set(who, window);
    }
    window.calls += 1;
    return window.calls <= most || { retryAfterMs: window.until - now() };
  };
}

export function limitedServer(): McpServer {
  const rateLimit = perMinute(2);
  return createMcpServer({ name: "limited", version: "1.0.0" }, { rateLimit }).tool(
    "hello",
    { description: "Says hello" },
    () => text("Hello."),
  );
}
