import type { IncomingMessage } from "node:http";
import { ByteCollector } from "../protocol/byte-collector.js";
import { inTurn } from "./in-turn.js";

/**
 * How reading a body can end; each call ends exactly once, or not at all where the client goes.
 * A body that is complete waits for its turn.
 */
export interface BodyEnds {
  complete(body: Uint8Array): void;
  /** More came than the limit allows. The rest is thrown away unread. */
  tooLarge(): void;
}

/**
 * Reads the body of a request, up to `limit` bytes, counted as they come: what a header says of the
 * length is not believed. A body that came in one piece, as most do, is not copied.
 */
export function readBody(request: IncomingMessage, limit: number, ends: BodyEnds): void {
  const body = new ByteCollector();
  let over = false;

  request.on("data", (piece: Uint8Array) => {
    if (over) return;
    if (body.size + piece.length > limit) {
      over = true;
      body.take();
      ends.tooLarge();
    } else body.add(piece);
  });
  request.on("end", () => {
    if (!over) inTurn(() => ends.complete(body.take()));
  });
  // A client that goes half way has asked for nothing.
  request.on("error", ignore);
}

const ignore = (): void => undefined;
