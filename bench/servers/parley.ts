import type { RequestListener } from "node:http";
import { HOSTS } from "./hosts.js";
import type { HostName } from "./hosts.js";
import { serveMeasured } from "./measured.js";
import { server, store } from "./tools.js";

const host = HOSTS[(process.env["BENCH_HOST"] ?? "node") as HostName];
const listener: RequestListener = await host(server);
serveMeasured(listener, () => store.bytes);
