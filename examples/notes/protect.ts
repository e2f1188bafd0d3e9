import { bearer } from "mcp-parley/auth";
import type { BearerAuthenticate } from "mcp-parley/auth";

/** Takes tokens of `issuer` for the server that clients know as `resource`. */
export function protect(resource: string, issuer: string): BearerAuthenticate {
  return bearer({
    resource, // https://mcp.example.com/mcp
    issuer, // https://auth.example.com
    scopes: ["notes:read"], // of every request
    implies: { "notes:write": ["notes:read"] },
    anonymous: ["server/discover"],
    onRefusal: ({ fault }) => console.error(`A token was refused: ${fault}`),
  });
}
