import { describe, expect, test } from "vitest";
import { LIMITS } from "../../src/client/limits.js";
import { connect } from "../../src/entry/client-node.js";
import { type Received, type Reply, scripted } from "./scripted.js";

const tool = (name: string) => ({ name, inputSchema: { type: "object" } });

/** Three pages; the cursor of the second is the empty string, which leads on like any other. */
function threePages({ params }: Received): Reply {
  const page = (tools: string[], nextCursor?: string): Reply => ({
    result: {
      resultType: "complete",
      tools: tools.map(tool),
      nextCursor,
      ttlMs: 0,
      cacheScope: "private",
    },
  });
  switch (params.cursor) {
    case undefined:
      return page(["a", "b"], "");
    case "":
      return page([], "3");
    default:
      return page(["c"]);
  }
}

describe("a list", () => {
  test("gives all its items, page by page", async () => {
    const server = await scripted(threePages);
    const client = await connect(server.url);
    const tools = await client.listTools().all();
    expect(tools.map(({ name }) => name)).toEqual(["a", "b", "c"]);
    const pages = [];
    for await (const page of client.listTools().pages()) pages.push(page.tools.length);
    expect(pages).toEqual([2, 0, 1]);
    await client.close();
    expect(server.requests.map(({ params }) => params.cursor)).toEqual([
      undefined,
      "",
      "3",
      undefined,
      "",
      "3",
    ]);
    expect(server.requests[0]?.headers).toMatchObject({ "mcp-method": "tools/list" });
    expect(server.requests[0]?.headers).not.toHaveProperty("mcp-name");
  });

  test("asks for no page that nobody wants", async () => {
    const server = await scripted(threePages);
    const client = await connect(server.url);
    for await (const { name } of client.listTools()) if (name === "b") break;
    await client.close();
    expect(server.requests).toHaveLength(1);
  });

  test("may be gone through again", async () => {
    const server = await scripted(threePages);
    const client = await connect(server.url);
    const tools = client.listTools();
    expect(await tools.all()).toEqual(await tools.all());
    await client.close();
  });

  test("ends at a null cursor", async () => {
    const server = await scripted(() => ({
      result: { resultType: "complete", prompts: [], nextCursor: null },
    }));
    const client = await connect(server.url);
    expect(await client.listPrompts().all()).toEqual([]);
    await client.close();
  });

  test("without an end is given up after the limit, however it is gone through", async () => {
    const server = await scripted(() => ({
      result: { resultType: "complete", resources: [], nextCursor: "again" },
    }));
    const client = await connect(server.url, { limits: { pages: 3 } });
    await expect(client.listResources().all()).rejects.toMatchObject({ code: "result_invalid" });
    const through = async (): Promise<void> => {
      for await (const { name } of client.listResources()) expect.unreachable(name);
    };
    await expect(through()).rejects.toMatchObject({ code: "result_invalid" });
    await client.close();
    expect(server.requests).toHaveLength(6);
    expect(LIMITS.pages).toBe(1_000);
  });

  test("may give the same cursor twice: what it means is the server's alone", async () => {
    let page = 0;
    const server = await scripted(() => {
      page += 1;
      const more = page < 4 ? { nextCursor: "on" } : {};
      return { result: { resultType: "complete", tools: [tool(`t${page}`)], ...more } };
    });
    const client = await connect(server.url);
    expect(await client.listTools().all()).toHaveLength(4);
    await client.close();
  });

  test("is read once more from its beginning where a cursor is refused", async () => {
    let refusals = 1;
    const refused: Reply = { error: { code: -32602, message: "unknown cursor" } };
    const server = await scripted((request) =>
      request.params.cursor === "3" && refusals-- > 0 ? refused : threePages(request),
    );
    const client = await connect(server.url);
    const tools = await client.listTools().all();
    expect(tools.map(({ name }) => name)).toEqual(["a", "b", "c"]);
    expect(server.requests).toHaveLength(6);
    refusals = 2;
    await expect(client.listTools().all()).rejects.toMatchObject({ rpcCode: -32602 });
    expect(server.requests).toHaveLength(12);
    await client.close();
  });

  test("that is refused at its beginning is refused", async () => {
    const server = await scripted(() => ({ error: { code: -32602, message: "no" } }));
    const client = await connect(server.url);
    await expect(client.listTools().all()).rejects.toMatchObject({ rpcCode: -32602 });
    await client.close();
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    ["tools", "listTools", "tools/list"],
    ["prompts", "listPrompts", "prompts/list"],
    ["resources", "listResources", "resources/list"],
    ["resourceTemplates", "listResourceTemplates", "resources/templates/list"],
  ] as const)(
    "of %s is asked for by its method, and has to be one",
    async (member, list, method) => {
      const server = await scripted((_request, index) => ({
        result: { resultType: "complete", [member]: index === 0 ? [{ name: "x" }] : "x" },
      }));
      const client = await connect(server.url);
      expect(await client[list]().all()).toEqual([{ name: "x" }]);
      await expect(client[list]().all()).rejects.toMatchObject({ code: "result_invalid" });
      await client.close();
      expect(server.requests.map((request) => request.method)).toEqual([method, method]);
    },
  );
});

describe("a completion", () => {
  const call = {
    ref: { type: "ref/prompt", name: "p" },
    argument: { name: "language", value: "py" },
    context: { arguments: { framework: "flask" } },
  } as const;

  test("is asked for by what has been typed", async () => {
    const completion = { values: ["python", "pyret"], total: 7, hasMore: true };
    const server = await scripted(() => ({ result: { resultType: "complete", completion } }));
    const client = await connect(server.url);
    expect(await client.complete(call)).toMatchObject({ completion });
    await client.close();
    expect(server.requests[0]).toMatchObject({ method: "completion/complete", params: call });
    expect(server.requests[0]?.headers).not.toHaveProperty("mcp-name");
  });

  test.each([undefined, null, {}, { values: "python" }])(
    "that is none (%j) is not valid",
    async (completion) => {
      const server = await scripted(() => ({ result: { resultType: "complete", completion } }));
      const client = await connect(server.url);
      await expect(client.complete(call)).rejects.toMatchObject({ code: "result_invalid" });
      await client.close();
    },
  );
});
