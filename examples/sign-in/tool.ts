import { UserError, createMcpServer, link, text } from "mcp-parley";
import type { McpServer } from "mcp-parley";
import type { Calendars } from "./calendars.js";

/** A server whose tool needs the user's calendar; `origin` is where they connect it. */
export function calendarServer(calendars: Calendars, origin: string): McpServer {
  const server = createMcpServer({ name: "calendar", version: "1.0.0" });

  server.tool("today", { description: "Today's events in your calendar" }, async (_, call) => {
    const { principal } = call;
    if (principal === undefined) throw new UserError("Sign in to use this tool.");
    const connected = await call.memo("connected", () => calendars.isConnected(principal));
    if (!connected) {
      const page = (ticket: string): string => `${origin}/connect?ticket=${ticket}`;
      const until = (): boolean => calendars.isConnected(principal); // waited for after "accept"
      await call.ask("login", link("Connect your calendar", page, { until }));
    }
    return text(calendars.today(principal));
  });
  return server;
}
