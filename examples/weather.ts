import { createMcpServer, structured } from "mcp-parley";
import type { McpServer } from "mcp-parley";
import { jsonSchema } from "mcp-parley/json-schema";

/** A server that offers a tool, a resource, a family of resources and a prompt. */
export function weatherServer(): McpServer {
  const server = createMcpServer(
    {
      name: "weather",
      version: "1.0.0",
      title: "Weather",
      icons: [{ src: "https://example.com/weather.png", mimeType: "image/png", sizes: ["48x48"] }],
    },
    {
      instructions: "Ask for one city at a time.",
      cache: { ttlMs: 300_000, cacheScope: "public" }, // the lists, and what the server can do
      pageSize: 100,
    },
  );

  server.tool(
    "weather",
    {
      title: "Weather",
      description: "The weather in a city now",
      annotations: { readOnlyHint: true, openWorldHint: true },
      inputSchema: jsonSchema<{ city: string }>({
        type: "object",
        properties: { city: { type: "string", minLength: 1, "x-mcp-header": "City" } },
        required: ["city"],
        additionalProperties: false,
      }),
      outputSchema: jsonSchema({ type: "array", items: { $ref: "#/$defs/reading" }, ...READING }),
    },
    async ({ city }, call) => {
      call.progress(0, 1, `Asking about ${city}`);
      const celsius = city.length; // no weather was measured for this example
      return structured([{ celsius }], `${String(celsius)} °C in ${city}`);
    },
  );

  server.resource(
    "cities",
    "weather://cities",
    { mimeType: "text/plain", cache: { ttlMs: 60_000, cacheScope: "public" } },
    () => CITIES.join("\n"),
  );

  server.resourceTemplate(
    "city",
    "weather://cities/{city}",
    {
      title: "One city",
      annotations: { audience: ["user"], priority: 0.5 },
      complete: { city: (typed) => CITIES.filter((city) => city.startsWith(typed)) },
    },
    ({ city = "" }) => `About ${city}`,
  );

  server.prompt("compare", { description: "Compares the weather of all cities" }, () => ({
    messages: [{ role: "user", content: { type: "text", text: `Compare ${CITIES.join(", ")}` } }],
  }));
  return server;
}

const CITIES = ["Kyoto", "Köln", "Lima"];

const READING = {
  $defs: {
    reading: { type: "object", properties: { celsius: { type: "number" } }, required: ["celsius"] },
  },
};
