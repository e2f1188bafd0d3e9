/** Where a transport reports what no client may see; `console` is one. Default: nowhere. */
export interface Logger {
  error(message: string, cause?: unknown): void;
}

export const noLogger: Logger = { error: () => undefined };
