import type { MetaObject } from "./jsonrpc.js";

// Optional members may be given as undefined: JSON leaves them out.

/** Who speaks in a conversation. */
export type Role = "user" | "assistant";

/** Hints on how something is used or shown. */
export interface Annotations {
  /** For whom it is meant. */
  audience?: Role[] | undefined;
  /** From 0, entirely optional, to 1, as good as required. */
  priority?: number | undefined;
  /** When it last changed, in ISO 8601. */
  lastModified?: string | undefined;
}

/** An icon; its `src` is untrusted and only ever https: or data:. Specification: basic/index, `icons`. */
export interface Icon {
  src: string;
  mimeType?: string | undefined;
  /** Sizes such as `48x48`, or `any`. */
  sizes?: string[] | undefined;
  theme?: "light" | "dark" | undefined;
}

/** Text to or from a model. */
export interface TextContent {
  type: "text";
  text: string;
  annotations?: Annotations | undefined;
  _meta?: MetaObject | undefined;
}

/** An image to or from a model; `data` is base64. */
export interface ImageContent {
  type: "image";
  data: string;
  mimeType: string;
  annotations?: Annotations | undefined;
  _meta?: MetaObject | undefined;
}

/** Sound to or from a model; `data` is base64. */
export interface AudioContent {
  type: "audio";
  data: string;
  mimeType: string;
  annotations?: Annotations | undefined;
  _meta?: MetaObject | undefined;
}

/** A resource as `resources/list` shows it. */
export interface Resource {
  uri: string;
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  mimeType?: string | undefined;
  /** Raw bytes, before any encoding. */
  size?: number | undefined;
  icons?: Icon[] | undefined;
  annotations?: Annotations | undefined;
  _meta?: MetaObject | undefined;
}

/** A resource to read, in a prompt or a tool's result. */
export interface ResourceLink extends Resource {
  type: "resource_link";
}

/** What a resource holds, as text. */
export interface TextResourceContents {
  uri: string;
  mimeType?: string | undefined;
  text: string;
  _meta?: MetaObject | undefined;
}

/** What a resource holds, as bytes in base64. */
export interface BlobResourceContents {
  uri: string;
  mimeType?: string | undefined;
  blob: string;
  _meta?: MetaObject | undefined;
}

/** A resource's contents, embedded in a prompt or a tool's result. */
export interface EmbeddedResource {
  type: "resource";
  resource: TextResourceContents | BlobResourceContents;
  annotations?: Annotations | undefined;
  _meta?: MetaObject | undefined;
}

/** One piece of a prompt or of a tool's result. */
export type ContentBlock =
  TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;
