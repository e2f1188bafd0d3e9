import type {
  Client,
  Prompt,
  Resource,
  ResourceTemplate,
  ServerFacts,
  Tool,
} from "mcp-parley/client";
import { oneLine } from "./plain.js";
import { type Schema, inWords, isSchema } from "./schema-kinds.js";
import type { Paint } from "./style.js";

/** Everything a server offers. */
export interface Offer {
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly resourceTemplates: readonly ResourceTemplate[];
}

/** Reads all lists of a server, of the kinds it says it has. */
export async function readOffer(client: Client, signal: AbortSignal): Promise<Offer> {
  const { tools, prompts, resources } = client.server.capabilities;
  const options = { signal };
  return {
    tools: tools === undefined ? [] : await client.listTools(options).all(),
    prompts: prompts === undefined ? [] : await client.listPrompts(options).all(),
    resources: resources === undefined ? [] : await client.listResources(options).all(),
    resourceTemplates:
      resources === undefined ? [] : await client.listResourceTemplates(options).all(),
  };
}

/** What a server offers, for a person to read. */
export function offerText({ address, info }: ServerFacts, offer: Offer, paint: Paint): string {
  const name =
    info === undefined ? "" : `${oneLine(info.title ?? info.name)} ${oneLine(info.version)}`;
  const sections = [
    section(
      "Tools",
      offer.tools.map((tool) => toolText(tool, paint)),
      paint,
    ),
    section(
      "Prompts",
      offer.prompts.map((prompt) => promptText(prompt, paint)),
      paint,
    ),
    section(
      "Resources",
      offer.resources.map((one) => resourceText(one, one.uri, paint)),
      paint,
    ),
    section(
      "Resource templates",
      offer.resourceTemplates.map((one) => resourceText(one, one.uriTemplate, paint)),
      paint,
    ),
  ].filter((text) => text !== "");
  const head = [name, oneLine(address, Infinity)].filter(Boolean).join(" · ");
  if (sections.length === 0) sections.push("This server offers nothing.");
  return [paint("dim", head), ...sections].join("\n\n");
}

function section(title: string, entries: readonly string[], paint: Paint): string {
  return entries.length === 0 ? "" : [paint("bold", title), ...entries].join("\n");
}

function toolText(tool: Tool, paint: Paint): string {
  const schema: Schema = isSchema(tool.inputSchema) ? tool.inputSchema : {};
  const properties = isSchema(schema["properties"]) ? schema["properties"] : {};
  const required: unknown = schema["required"];
  const args = Object.entries(properties).map(([name, property]) => {
    const { description, default: initial } = isSchema(property) ? property : {};
    const takes = inWords(property, schema);
    const fallback = initial === undefined ? "" : `, default ${JSON.stringify(initial)}`;
    return argument(
      name,
      Array.isArray(required) && required.includes(name),
      `${takes}${fallback}`,
      description,
      paint,
    );
  });
  const title = tool.title ?? tool.annotations?.title;
  return entry(tool.name, title, tool.description, args, paint);
}

function promptText({ name, title, description, arguments: given }: Prompt, paint: Paint): string {
  const args = (Array.isArray(given) ? given : []).map((one) =>
    argument(one.name, one.required === true, "text", one.description, paint),
  );
  return entry(name, title, description, args, paint);
}

function resourceText(
  { name, title, description, mimeType }: Resource | ResourceTemplate,
  uri: string,
  paint: Paint,
): string {
  const type = mimeType === undefined ? [] : [`      ${paint("dim", oneLine(mimeType))}`];
  return entry(uri, title ?? name, description, type, paint);
}

function entry(
  name: string,
  title: string | undefined,
  description: string | undefined,
  details: readonly string[],
  paint: Paint,
): string {
  const said = title === undefined || title === name ? "" : `  ${oneLine(title)}`;
  return [
    `  ${paint("cyan", oneLine(name))}${said}`,
    ...(description === undefined ? [] : [`      ${oneLine(description, 1_000)}`]),
    ...details,
  ].join("\n");
}

function argument(
  name: string,
  isRequired: boolean,
  takes: string,
  description: unknown,
  paint: Paint,
): string {
  const star = isRequired ? paint("yellow", " *") : "";
  const said = description === undefined ? "" : `  ${oneLine(description)}`;
  return `      ${oneLine(name, 60)}${star}  ${paint("dim", oneLine(takes))}${said}`;
}
