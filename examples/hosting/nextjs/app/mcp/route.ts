import { toFetchHandler } from "mcp-parley/fetch";
import { makeServer } from "../../../janitor.js";

const handle = toFetchHandler(makeServer(), { allowedHosts: ["localhost", "127.0.0.1"] });

export { handle as GET, handle as OPTIONS, handle as POST };
