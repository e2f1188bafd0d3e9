/** Any result a handler of the SDK's gives: a tool's, a prompt's or a resource's. */
export type SdkResult = Readonly<Record<string, unknown>>;
