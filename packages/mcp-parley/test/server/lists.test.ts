import { afterEach, describe, expect, it } from "vitest";
import { createMcpServer, text } from "../../src/entry/index.js";
import type { McpServer, ServerOptions } from "../../src/entry/index.js";
import { request, send } from "../support/caller.js";
import { hosts } from "../support/hosts.js";
import type { Host, Wire } from "../support/hosts.js";

const open: Host[] = [];

async function host(fill: (server: McpServer) => void, options: ServerOptions = {}): Promise<Host> {
  const make = hosts["in memory"];
  if (make === undefined) throw new Error("no host");
  const server = createMcpServer({ name: "lists", version: "1" }, { log: false, ...options });
  fill(server);
  const made = await make(() => server, false);
  open.push(made);
  return made;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

const names = (result: Wire | undefined): unknown[] =>
  ((result?.["tools"] ?? []) as Wire[]).map(({ name }) => name);

const seven = (server: McpServer): void => {
  for (let n = 1; n <= 7; n += 1) server.tool(`t${String(n)}`, {}, () => text("x"));
};

describe("pages", () => {
  it("gives everything at once unless told otherwise", async () => {
    const { result } = await send(await host(seven), request("tools/list"));
    expect(names(result)).toHaveLength(7);
    expect(result).not.toHaveProperty("nextCursor");
  });

  it("gives pages in the order things were added, the last without a cursor", async () => {
    const paged = await host(seven, { pageSize: 3 });
    const seen: unknown[][] = [];
    let cursor: Wire = {};
    for (;;) {
      const { result } = await send(paged, request("tools/list", cursor));
      seen.push(names(result));
      if (result?.["nextCursor"] === undefined) break;
      cursor = { cursor: result["nextCursor"] };
    }
    expect(seen).toEqual([["t1", "t2", "t3"], ["t4", "t5", "t6"], ["t7"]]);
  });

  it.each(["", "x", "at-", "at-7", "at-99", "at--1", "at-1e1", 3, null])(
    "refuses the cursor %j, which is none of its own",
    async (cursor) => {
      const paged = await host(seven, { pageSize: 3 });
      const { error } = await send(paged, request("tools/list", { cursor }));
      expect(error?.code).toBe(-32602);
    },
  );

  it.each([0, -1, 1.5, NaN])("refuses a page size of %s", async (pageSize) => {
    await expect(host(seven, { pageSize })).rejects.toThrow(RangeError);
  });
});

describe("what not everyone sees", () => {
  const admin = { issuer: "i", subject: "admin" };
  const gated = (server: McpServer): void => {
    const visible = (who: { subject: string } | undefined): boolean => who?.subject === "admin";
    server.tool("open", {}, () => text("open"));
    server.tool("closed", { visible }, () => text("closed"));
    server.prompt("closed", { visible }, () => ({ messages: [] }));
    server.resource("closed", "closed://1", { visible }, () => "closed");
    server.resourceTemplate("closed", "family://{id}", { visible }, () => "closed");
  };

  it("is not listed, and does not exist for who may not see it", async () => {
    const served = await host(gated, { cache: { ttlMs: 1000, cacheScope: "public" } });
    const anyone = await send(served, request("tools/list"));
    expect(names(anyone.result)).toEqual(["open"]);
    expect(names((await send(served, request("tools/list"), admin)).result)).toEqual([
      "open",
      "closed",
    ]);
    const call = request("tools/call", { name: "closed", arguments: {} });
    expect((await send(served, call)).error).toMatchObject({
      code: -32602,
      message: "Unknown tool: closed",
    });
    expect((await send(served, call, admin)).result).toMatchObject({
      content: [{ text: "closed" }],
    });
    for (const [method, params] of [
      ["prompts/get", { name: "closed" }],
      ["resources/read", { uri: "closed://1" }],
      ["resources/read", { uri: "family://x" }],
    ] as [string, Wire][]) {
      expect((await send(served, request(method, params))).error?.code).toBe(-32602);
      expect((await send(served, request(method, params), admin)).error).toBeUndefined();
    }
  });

  it("makes its list private, whatever the hints say", async () => {
    const served = await host(gated, { cache: { ttlMs: 1000, cacheScope: "public" } });
    const { result } = await send(served, request("tools/list"));
    expect(result).toMatchObject({ ttlMs: 1000, cacheScope: "private" });
  });
});

describe("methods of features a server has nothing of", () => {
  it.each([
    "tools/list",
    "tools/call",
    "prompts/list",
    "prompts/get",
    "resources/list",
    "resources/templates/list",
    "resources/read",
  ])("%s is not found", async (method) => {
    const { error } = await send(await host(() => undefined), request(method));
    expect(error?.code).toBe(-32601);
  });
});

describe("completion", () => {
  const served = (): Promise<Host> =>
    host((server) => {
      server.prompt(
        "review",
        {
          complete: {
            language: (value) =>
              ["python", "pytorch", "perl"].filter((each) => each.startsWith(value)),
            framework: (_, context) => [`${context.arguments["language"] ?? "?"}-kit`],
          },
        },
        () => ({ messages: [] }),
      );
      server.resourceTemplate(
        "file",
        "file:///{name}",
        { complete: { name: () => Array.from({ length: 150 }, (_, n) => String(n)) } },
        () => "x",
      );
    });

  const complete = async (params: Wire): Promise<unknown> => {
    const { result, error } = await send(await served(), request("completion/complete", params));
    return result?.["completion"] ?? error?.code;
  };

  const prompt = { type: "ref/prompt", name: "review" };

  it("suggests what the prompt's completer says", async () => {
    expect(await complete({ ref: prompt, argument: { name: "language", value: "py" } })).toEqual({
      values: ["python", "pytorch"],
      total: 2,
      hasMore: false,
    });
  });

  it("hands on what is filled in already", async () => {
    const context = { arguments: { language: "python" } };
    const argument = { name: "framework", value: "" };
    expect(await complete({ ref: prompt, argument, context })).toMatchObject({
      values: ["python-kit"],
    });
  });

  it("sends a hundred at the most, and says that there are more", async () => {
    const ref = { type: "ref/resource", uri: "file:///{name}" };
    const completion = await complete({ ref, argument: { name: "name", value: "" } });
    expect(completion).toMatchObject({ total: 150, hasMore: true });
    expect((completion as { values: unknown[] }).values).toHaveLength(100);
  });

  it("suggests nothing for an argument nobody completes", async () => {
    expect(
      await complete({ ref: prompt, argument: { name: "toString", value: "" } }),
    ).toMatchObject({
      values: [],
    });
  });

  it.each<[string, Wire]>([
    ["no ref", { argument: { name: "a", value: "" } }],
    [
      "an unknown prompt",
      { ref: { type: "ref/prompt", name: "no" }, argument: { name: "a", value: "" } },
    ],
    [
      "an unknown type",
      { ref: { type: "ref/tool", name: "x" }, argument: { name: "a", value: "" } },
    ],
    ["no argument", { ref: prompt }],
    ["a value that is no text", { ref: prompt, argument: { name: "language", value: 7 } }],
    [
      "a context that is none",
      { ref: prompt, argument: { name: "language", value: "" }, context: 7 },
    ],
  ])("refuses %s", async (_, params) => {
    expect(await complete(params)).toBe(-32602);
  });
});
