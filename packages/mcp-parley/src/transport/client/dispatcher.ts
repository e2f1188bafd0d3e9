/** One request, as `undici` takes it. */
export interface DispatchOptions {
  readonly origin: string;
  readonly path: string;
  readonly method: "POST";
  readonly headers: string[];
  readonly body: string;
  readonly bodyTimeout: number;
  readonly headersTimeout: number;
}

/** What `undici` tells of one request. */
export interface DispatchHandler {
  onRequestStart(controller: DispatchController): void;
  onResponseStart(
    controller: DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void;
  onResponseData(controller: DispatchController, chunk: Uint8Array): void;
  onResponseEnd(controller: DispatchController): void;
  onResponseError(controller: DispatchController, error: Error): void;
}

/** Ends one request. */
export interface DispatchController {
  abort(reason: Error): void;
}

/**
 * Connections of the host's own: an `Agent`, `Pool` or `ProxyAgent` of `undici` 7, or later, with
 * its proxies, certificates and bounds. It stays the host's to close.
 */
export interface Dispatcher {
  dispatch(options: DispatchOptions, handler: DispatchHandler): unknown;
}
