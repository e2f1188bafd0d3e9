/**
 * Parley: servers whose tools, prompts and resources ask half way through and go on anywhere.
 */
export { createMcpServer } from "../server/server.js";
export type { McpServer, ServerOptions } from "../server/server.js";
export type {
  PromptDefinition,
  PromptHandler,
  ResourceContents,
  ResourceDefinition,
  ResourceHandler,
  ResourceTemplateDefinition,
  ResourceTemplateHandler,
  ToolDefinition,
  ToolHandler,
} from "../server/definitions.js";
export type { Bus, Change } from "../server/bus.js";
export type { Completer, Completers, CompletionContext } from "../server/completion.js";
export type { RateLimit, RateLimitRefusal, RateLimitRequest } from "../server/rate-limit.js";
export type { Visible } from "../server/list.js";
export { UserError, structured, text } from "../server/results.js";
export type { Call, BusinessKey, Effect, OnceOptions } from "../flow/call.js";
export { NotDone } from "../flow/not-done.js";
export { CapabilityMissing, NotAccepted } from "../flow/endings.js";
export { isSuspension } from "../flow/suspension.js";
export type { Answer, AnswerOf, Question, QuestionKind } from "../flow/question.js";
export { form } from "../flow/questions/form.js";
export type { Flat, FormOptions } from "../flow/questions/form.js";
export { link } from "../flow/questions/link.js";
export type { LinkAbout, LinkOptions } from "../flow/questions/link.js";
export { sample } from "../flow/questions/sample.js";
export { roots } from "../flow/questions/roots.js";
export type { InputOf, OutputOf, StandardSchema } from "../flow/schema.js";
export type { FlowSettings } from "../flow/settings.js";
export type { FlowTracing, RoundAbout, RoundWatch } from "../flow/tracing.js";
export type { Logger, ParleyEvent, ParleyOptions } from "../flow/options.js";
export type {
  EffectOutcome,
  FlowEvent,
  FlowEventBase,
  FlowHappening,
  RoundEndWord,
} from "../flow/events.js";
export type { LedgerEvent } from "../ledger/events.js";
export { ParleyError, RpcError, isParleyError } from "../protocol/errors.js";
export type { ParleyErrorCode } from "../protocol/errors.js";
export type { Principal } from "../state/principal.js";
export { memoryStore } from "../store/memory.js";
export type { MemoryStore, MemoryStoreOptions } from "../store/memory.js";
export type { Inserted, Row, Store, Stored } from "../store/store.js";
export type { TicketOpened, TicketRefusal } from "../state/tickets.js";
export type { CodecRefusal, SealContext, StateCodec, Unsealed } from "../state/codec.js";
export type { KeyListener, KeySource, KeyTexts } from "../state/key-source.js";
export type { KeyEvent } from "../state/ring.js";
export { signed } from "../state/signed.js";
export { stored } from "../state/stored.js";
export type { StoredCodec, StoredOptions } from "../state/stored.js";
