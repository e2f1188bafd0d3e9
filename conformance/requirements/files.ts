import { testsIn } from "./requirement.js";

/** The tests of the library, by file. */
const library = (file: string): ReturnType<typeof testsIn> =>
  testsIn(`packages/mcp-parley/test/${file}.test.ts`);
const command = (file: string): ReturnType<typeof testsIn> =>
  testsIn(`packages/cli/test/${file}.test.ts`);

// the server
export const fieldServer = library("field/server");
export const lists = library("server/lists");
export const shown = library("server/shown");
export const offers = library("server/offers");
export const stateless = library("server/stateless");
export const serverErrors = library("server/errors");
export const subscriptions = library("server/subscriptions");
export const shownSchemas = library("server/shown-schemas");
export const toolHeaders = library("server/tool-headers");
export const rateLimit = library("server/rate-limit");
export const redisBus = library("server/redis-bus");

// flows and states
export const atMostOnce = library("flow/at-most-once");
export const flows = library("flow/flows");
export const settings = library("flow/settings");
export const zoo = library("flow/zoo");
export const until = library("flow/until");
export const jsonSchema = library("flow/json-schema/json-schema");
export const otel = library("flow/otel");
export const sampling = library("flow/sample");
export const stored = library("state/stored");
export const challenges = library("auth/challenges");
export const tokens = library("auth/tokens");
export const tickets = library("state/tickets");
export const answersAttacked = library("security/answers");
export const canaries = library("security/canaries");
export const exhaustion = library("security/exhaustion");
export const forged = library("security/forged-state");
export const links = library("security/links");
export const moved = library("security/moved-state");
export const replayed = library("security/replayed-state");
export const requestFuzz = library("security/request-fuzz");
export const webAttacks = library("security/web");
export const telling = library("security/telling");

// the client
export const fieldClient = library("field/client");
export const abort = library("client/abort");
export const answers = library("client/answers");
export const cache = library("client/cache");
export const cacheSharing = library("client/cache-sharing");
export const checkedOutputs = library("client/checked-outputs");
export const connecting = library("client/connect");
export const envelope = library("client/envelope");
export const clientHttp = library("client/http");
export const clientIcons = library("client/icons");
export const limits = library("client/limits");
export const listeners = library("client/listeners");
export const clientLists = library("client/lists");
export const clientParamHeaders = library("client/param-headers");
export const pending = library("client/pending");
export const rounds = library("client/rounds");
export const shapes = library("client/shapes");
export const stateEcho = library("client/state-echo");
export const clientStdio = library("client/stdio");
export const clientSubscriptions = library("client/subscriptions");
export const subscriptionsWire = library("client/subscriptions-wire");
export const timeouts = library("client/timeouts");

// authorization, of the server and of the client
export const authDiscovery = library("auth/discovery");
export const authFlows = library("auth/flows");
export const authMetadata = library("auth/metadata");
export const authSettings = library("auth/settings");
export const scopes = library("server/scopes");
export const clientAuthHttp = library("auth/client/http");
export const clientAuthOptions = library("auth/client/options");
export const clientChallenge = library("auth/client/challenge");
export const clientFlow = library("auth/client/flow");
export const clientHostile = library("auth/client/hostile");
export const clientIssuer = library("auth/client/issuer");
export const clientTokens = library("auth/client/tokens");
export const identify = library("auth/client/identify");
export const loopback = library("auth/client/loopback");
export const officialClient = library("auth/official-client");
export const migration = library("auth/client/migration");
export const register = library("auth/client/register");
export const renewal = library("auth/client/renewal");
export const resource = library("auth/client/resource");
export const stepUp = library("auth/client/step-up");
export const widerResource = library("auth/client/wider-resource");

// the protocol's facts and the transports
export const capabilities = library("protocol/capabilities");
export const classify = library("protocol/classify");
export const codes = library("protocol/codes");
export const formContent = library("protocol/form-content");
export const formSchema = library("protocol/form-schema");
export const headerValues = library("protocol/headers");
export const input = library("protocol/input");
export const jsonrpc = library("protocol/jsonrpc");
export const meta = library("protocol/meta");
export const methods = library("protocol/methods");
export const paramHeaders = library("protocol/param-headers");
export const parse = library("protocol/parse");
export const http = library("transport/http");
export const httpChecks = library("transport/http-checks");
export const nodeHttp = library("transport/node-http");
export const serverProcess = library("transport/process");
export const serveNode = library("transport/serve-node");
export const stdio = library("transport/stdio");
export const stdioServer = library("transport/stdio-server");

// examples
export const authorized = testsIn("examples/authorized.test.ts");
export const limited = testsIn("examples/server.test.ts");
export const signIn = testsIn("examples/sign-in.test.ts");

// the command, which is a host
export const cliCommand = command("command");
export const cliHostile = command("hostile");
export const cliLinks = command("link-facts");
export const cliTerminal = command("terminal");
