import { Agent } from "undici";
import { type ConnectOptions, connect } from "../../src/entry/client-node.js";
import type { HttpLinkOptions } from "../../src/transport/client/http.js";
import { dispatchLink } from "../../src/transport/client/http-dispatch.js";
import type { Clock } from "../../src/client/clock.js";
import type { Client } from "../../src/client/client.js";
import type { Link } from "../../src/client/link.js";

/** {@link connect} over connections of `undici`'s, for tests that go over every transport. */
export function connectUndici(url: string | URL, options: ConnectOptions = {}): Promise<Client> {
  return connect(url, { ...options, dispatcher: new Agent() });
}

export function undiciLink(options: HttpLinkOptions, clock?: Clock): Link {
  return dispatchLink(options, new Agent(), clock);
}
