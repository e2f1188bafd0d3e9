import { describe, expect, it } from "vitest";
import { type AuthFetch, authHttp } from "../../../src/auth/client/http.js";

const never = new AbortController().signal;
const answering =
  (response: () => Response): AuthFetch =>
  async () =>
    response();

/** What was fetched on behalf of a server, and what became of it. */
async function outcome(endpoint: string, url: string): Promise<string> {
  const fetched: string[] = [];
  const http = authHttp(
    endpoint,
    async (asked) => {
      fetched.push(asked);
      return Response.json({});
    },
    never,
  );
  try {
    await http.fetch(url, {});
    expect(fetched).toEqual([new URL(url).href]);
    return "fetched";
  } catch (error) {
    expect(fetched).toEqual([]);
    return (error as { fault: string }).fault;
  }
}

describe("A request of an authorization", () => {
  it.each([
    "https://login.example/token",
    "https://login.example:8443/",
    "https://localhost.example/",
    "https://12.7.0.1/",
  ])("may go to %s", async (url) => {
    expect(await outcome("https://mcp.example/mcp", url)).toBe("fetched");
  });

  it.each([
    "http://login.example/",
    "http://localhost/",
    "http://127.0.0.1:1234/",
    "https://localhost/",
    "https://a.localhost./",
    "https://127.8.9.1/",
    "https://2130706433/", // 127.0.0.1
    "https://0.0.0.0/",
    "https://[::1]/",
    "https://[::]/",
    "https://[::ffff:127.0.0.1]/",
    "https://user:secret@login.example/",
    "https://login.example/#fragment",
    "ftp://login.example/",
    "data:application/json,{}",
    "file:///etc/passwd",
    "login.example",
    "",
  ])("may not go to %s for a server elsewhere", async (url) => {
    expect(await outcome("https://mcp.example/mcp", url)).toBe("unsafe_url");
  });

  it("may go to this machine for a server on it, and in the clear nowhere else", async () => {
    const endpoint = "http://127.0.0.1:3000/mcp";
    expect(await outcome(endpoint, "http://localhost:4000/token")).toBe("fetched");
    expect(await outcome(endpoint, "https://login.example/token")).toBe("fetched");
    expect(await outcome(endpoint, "http://login.example/token")).toBe("unsafe_url");
  });

  const failing = (fetch: AuthFetch, signal = never, timeout?: number): Promise<unknown> =>
    authHttp("https://mcp.example/mcp", fetch, signal, timeout)
      .fetch("https://login.example/x?code=canary", {})
      .then(() => "fetched")
      .catch((error: unknown) => error);

  const hanging: AuthFetch = (_, { signal }) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason as Error));
    });

  it.each([
    ["redirects", answering(() => new Response("", { status: 307 }))],
    ["gives too much", answering(() => new Response(new Uint8Array(256 * 1024 + 1)))],
    ["can't be reached", () => Promise.reject(new TypeError("fetch failed"))],
  ])("fails where the answer %s; what was asked for is not in the message", async (_, fetch) => {
    const error = (await failing(fetch)) as Error;
    expect(error).toMatchObject({ fault: "unreachable" });
    expect(error.message).toContain("https://login.example/x");
    expect(error.message).not.toContain("canary");
  });

  const hangingUp = (code: string, times: number) => {
    const cause = Object.assign(new Error("other side closed"), { code });
    let asked = 0;
    const fetch: AuthFetch = async () => {
      asked += 1;
      if (asked <= times) throw new TypeError("fetch failed", { cause });
      return Response.json({});
    };
    return { fetch, asked: () => asked };
  };

  it.each(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"])(
    "is sent once more over a connection that was hung up on (%s), and no third time",
    async (code) => {
      const once = hangingUp(code, 1);
      expect(await failing(once.fetch)).toBe("fetched");
      expect(once.asked()).toBe(2);
      const always = hangingUp(code, Infinity);
      expect(await failing(always.fetch)).toMatchObject({ fault: "unreachable" });
      expect(always.asked()).toBe(2);
    },
  );

  it("is not sent again where nobody answers at all", async () => {
    const refused = hangingUp("ECONNREFUSED", 1);
    expect(await failing(refused.fetch)).toMatchObject({ fault: "unreachable" });
    expect(refused.asked()).toBe(1);
  });

  it("fails once its time is over", async () => {
    expect(await failing(hanging, never, 5)).toMatchObject({ fault: "unreachable" });
  });

  it("ends with whoever wanted it", async () => {
    const controller = new AbortController();
    const failure = failing(hanging, controller.signal);
    controller.abort(new Error("enough"));
    expect(await failure).toMatchObject({ message: "enough" });
  });

  it("is asked to follow no redirect by itself", async () => {
    let given: RequestInit | undefined;
    await failing(async (_, init) => {
      given = init;
      return Response.json({});
    });
    expect(given).toMatchObject({ redirect: "manual" });
  });
});
