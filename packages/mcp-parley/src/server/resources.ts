import { INVALID_PARAMS } from "../protocol/codes.js";
import type { Resource } from "../protocol/content.js";
import { ParleyError } from "../protocol/errors.js";
import type { CacheHints, ReadResourceResult, ResourceTemplate } from "../protocol/features.js";
import { quoted } from "../protocol/json.js";
import type { Awaitable } from "../protocol/json.js";
import { RESOURCES_READ } from "../protocol/methods.js";
import { checkScopes } from "../protocol/check-scopes.js";
import type { Call } from "../flow/call.js";
import { flowSettings } from "../flow/settings.js";
import type { FlowSettings } from "../flow/settings.js";
import { UNCACHED, cacheHints } from "./cache-hints.js";
import type { Completable, Completers } from "./completion.js";
import type { Reply } from "./context.js";
import type {
  ResourceContents,
  ResourceDefinition,
  ResourceHandler,
  ResourceTemplateDefinition,
  ResourceTemplateHandler,
} from "./definitions.js";
import { ownFailureOf } from "./failures.js";
import { asError, runRound } from "./feature.js";
import type { FeatureParts } from "./feature.js";
import type { Incoming } from "./incoming.js";
import { List } from "./list.js";
import type { ListOptions, Visible } from "./list.js";
import { errorReply, malformedReply } from "./respond.js";
import { isGranted, refuseUngranted } from "./scopes.js";
import type { NeededScopes } from "./scopes.js";
import { checkShown } from "./shown.js";
import { UriTemplate } from "./uri-template.js";

/** What reading a resource comes down to. */
interface ResourceEntry {
  readonly mimeType: string | undefined;
  readonly visible: Visible | undefined;
  readonly scopes: NeededScopes;
  readonly hints: CacheHints;
  readonly settings: FlowSettings;
  readonly read: (uri: string, call: Call) => Awaitable<ResourceContents>;
}

interface Family {
  readonly uriTemplate: string;
  readonly template: UriTemplate;
  readonly visible: Visible | undefined;
  readonly scopes: NeededScopes;
  readonly completers: Completers;
  readonly entryFor: (variables: Readonly<Record<string, string>>) => ResourceEntry;
}

/** The resources of one server. Specification: server/resources. */
export class Resources {
  readonly list: List<Resource>;
  readonly templates: List<ResourceTemplate>;
  readonly #entries = new Map<string, ResourceEntry>();
  readonly #families: Family[] = [];
  readonly #parts: FeatureParts;

  constructor(parts: FeatureParts, options: ListOptions) {
    this.#parts = parts;
    this.list = new List("resources", options, parts.results);
    this.templates = new List("resourceTemplates", options, parts.results);
  }

  get size(): number {
    return this.list.size + this.templates.size;
  }

  add(name: string, uri: string, definition: ResourceDefinition, handler: ResourceHandler): void {
    if (!URL.canParse(uri)) throw new ParleyError("usage", `'${uri}' is no URI`);
    if (this.#entries.has(uri))
      throw new ParleyError("usage", `There is a resource '${uri}' already`);
    checkShown(`Resource '${name}'`, definition);
    this.list.add({ name, uri, ...shownOf(definition) }, definition.visible);
    this.#entries.set(uri, { ...this.#entry(`Resource '${name}'`, definition), read: handler });
  }

  addTemplate(
    name: string,
    uriTemplate: string,
    definition: ResourceTemplateDefinition,
    handler: ResourceTemplateHandler,
  ): void {
    const template = new UriTemplate(uriTemplate);
    const { complete: completers = {}, ...shown } = definition;
    const what = `Resource template '${name}'`;
    const entry = this.#entry(what, definition);
    checkShown(what, definition);
    this.templates.add({ name, uriTemplate, ...shownOf(shown) }, definition.visible);
    this.#families.push({
      uriTemplate,
      template,
      visible: definition.visible,
      scopes: entry.scopes,
      completers,
      entryFor: (variables) => ({
        ...entry,
        read: (uri, call) => handler(variables, call, uri),
      }),
    });
  }

  read(incoming: Incoming): Awaitable<Reply> {
    const uri = incoming.param("uri");
    if (typeof uri !== "string") {
      return malformedReply(incoming.id, "params.uri is a text");
    }
    const entry = this.#find(incoming, uri);
    if (entry === undefined) {
      return errorReply(incoming.id, INVALID_PARAMS, "Resource not found", { uri });
    }
    const refused = refuseUngranted(incoming, entry.scopes);
    if (refused !== undefined) return refused;
    return runRound<ResourceContents>(this.#parts, incoming, {
      method: RESOURCES_READ,
      name: uri,
      settings: entry.settings,
      run: (call) => entry.read(uri, call),
      complete: (given, retried) =>
        this.#parts.results.complete(asResult(uri, entry, given), retried ? UNCACHED : entry.hints),
      failed: (error) => asError(ownFailureOf(error)),
    });
  }

  /** Whether the caller may read this URI. */
  has(incoming: Incoming, uri: string): boolean {
    const entry = this.#find(incoming, uri);
    return entry !== undefined && isGranted(incoming, entry.scopes);
  }

  /** The completers of a template that the caller is shown. */
  completers(incoming: Incoming, uriTemplate: string): Completable | undefined {
    const family = this.#families.find((each) => each.uriTemplate === uriTemplate);
    return family?.visible?.(incoming.context.principal) === false ? undefined : family;
  }

  #find(incoming: Incoming, uri: string): ResourceEntry | undefined {
    const entry = this.#entries.get(uri) ?? this.#familyEntry(uri);
    return entry?.visible?.(incoming.context.principal) === false ? undefined : entry;
  }

  #familyEntry(uri: string): ResourceEntry | undefined {
    for (const { template, entryFor } of this.#families) {
      const variables = template.match(uri);
      if (variables !== undefined) return entryFor(variables);
    }
    return undefined;
  }

  #entry(what: string, definition: Omit<ResourceDefinition, "size">): Omit<ResourceEntry, "read"> {
    const { visible, scopes } = definition;
    return {
      mimeType: definition.mimeType,
      visible,
      scopes: scopes && checkScopes(what, scopes),
      hints: cacheHints(definition.cache, visible !== undefined || scopes !== undefined),
      settings: flowSettings(definition.flow, this.#parts.settings),
    };
  }
}

function shownOf(definition: ResourceDefinition) {
  const { flow: _f, cache: _c, visible: _v, scopes: _s, icons, ...shown } = definition;
  return { ...shown, ...(icons === undefined ? {} : { icons: [...icons] }) };
}

function asResult(uri: string, { mimeType }: ResourceEntry, given: unknown): ReadResourceResult {
  if (typeof given === "string") {
    return { contents: [{ uri, ...(mimeType === undefined ? {} : { mimeType }), text: given }] };
  }
  const result = given as ReadResourceResult | undefined;
  if (!Array.isArray(result?.contents) || result.contents.length === 0) {
    throw new ParleyError("usage", `Resource ${quoted(uri)} gave no contents: return text`);
  }
  const { ttlMs: _ttl, cacheScope: _scope, ...rest } = result;
  return rest;
}
