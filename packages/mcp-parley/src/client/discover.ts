import type { ServerCapabilities } from "../protocol/capabilities.js";
import { MODERN_ERROR_CODES } from "../protocol/codes.js";
import { ParleyError, isParleyError } from "../protocol/errors.js";
import type { DiscoverResult, Implementation } from "../protocol/features.js";
import { isObject, own } from "../protocol/json.js";
import { META_SERVER_INFO, isImplementation } from "../protocol/meta.js";
import { DISCOVER, PROTOCOL_VERSION } from "../protocol/methods.js";
import { failureOf, unsupported } from "./failures.js";
import type { Answered } from "./sending.js";

/** What a server says of itself. Specification: server/discover. */
export interface ServerFacts {
  /** Where it is, as this client knows it: a URL, or a command line. */
  readonly address: string;
  /** What it calls itself: for display, never for decisions. */
  readonly info: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  /** How to use it, for a model to read. */
  readonly instructions: string | undefined;
}

/** Status codes that say nothing about which revision a server speaks. */
const SAYS_NOTHING: ReadonlySet<number> = new Set([401, 403, 407, 408, 421, 425, 429]);

/**
 * The first answer of a server, which has to show that it speaks this revision. Throws
 * `legacy_server` where it does not: a JSON-RPC error that is none of this revision's, a refusal of
 * HTTP's, or an answer that is no discovery. This client does not speak the revisions before.
 * Specification: basic/versioning, Backward Compatibility.
 */
export async function probe(sending: Promise<Answered>): Promise<DiscoverResult> {
  let answer: Answered;
  try {
    answer = await sending;
  } catch (error) {
    if (isParleyError(error, "timeout")) throw legacy("did not answer in time", error);
    if (isParleyError(error, "result_invalid")) throw legacy("answered with something else", error);
    throw error;
  }
  switch (answer.kind) {
    case "complete":
      return discovery(answer.result);
    case "error":
      if (MODERN_ERROR_CODES.has(answer.error.rpcCode)) throw answer.error;
      throw legacy(`answered with error ${answer.error.rpcCode}`, answer.error);
    case "status": {
      const { status } = answer;
      if (status >= 500 || SAYS_NOTHING.has(status)) throw failureOf(answer, DISCOVER);
      throw legacy(`answered with status ${status}`);
    }
    default:
      throw legacy("answered with something else");
  }
}

function discovery(result: Record<string, unknown>): DiscoverResult {
  const versions = own(result, "supportedVersions");
  if (!Array.isArray(versions) || !isObject(own(result, "capabilities"))) {
    throw legacy("answered with something else");
  }
  if (!versions.includes(PROTOCOL_VERSION)) throw unsupported(versions);
  return result as DiscoverResult;
}

/** What the server says of itself, from its discovery. */
export function factsFrom(address: string, { _meta, ...result }: DiscoverResult): ServerFacts {
  const info = _meta?.[META_SERVER_INFO];
  return {
    address,
    info: isImplementation(info) ? info : undefined,
    capabilities: result.capabilities,
    instructions: typeof result.instructions === "string" ? result.instructions : undefined,
  };
}

function legacy(what: string, cause?: ParleyError): ParleyError {
  return new ParleyError(
    "legacy_server",
    `The server ${what} when asked server/discover, so it does not speak MCP ${PROTOCOL_VERSION}. ` +
      "Check that the address is its MCP endpoint and update the server: this client speaks no earlier revision.",
    { cause },
  );
}
