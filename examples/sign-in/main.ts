import { start } from "./start.js";

const { url } = await start(Number(process.env["PORT"] ?? 3000));
console.error(`Serving ${url} for "Authorization: Bearer token-of-ann"`);
