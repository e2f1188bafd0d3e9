import type { RequestListener } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** What the operating system says a server's process has used so far. */
export interface Usage {
  /** CPU time, user and system, in µs. */
  readonly cpu: number;
  /** Resident memory, in bytes. */
  readonly rss: number;
  /** How much of that are the ledger's live marks and the results it keeps, in bytes. */
  readonly marks: number;
}

/** How many tools a server has beside those that are called. */
export const otherTools = Number(process.env["BENCH_TOOLS"] ?? 0);

/** Serves, and answers the parent's questions about what it used. */
export function serveMeasured(listener: RequestListener, marks: () => number = () => 0): void {
  const http = createServer(listener);
  http.listen(0, "127.0.0.1", () => {
    process.send?.({ port: (http.address() as AddressInfo).port });
  });
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    const usage: Usage = {
      cpu: user + system,
      rss: process.memoryUsage.rss(),
      marks: marks(),
    };
    process.send?.({ usage });
  });
  process.on("disconnect", () => process.exit(0));
}
