import { createParser } from "eventsource-parser";

/**
 * Reads the messages out of a stream of server-sent events, chunk by chunk. Comments, ids, retry
 * hints and events of another name carry no message. `onMessage` is not called again once it has
 * returned true. Throws where bytes are not UTF-8, and a {@link RangeError} where one event is
 * longer than `limit` characters.
 */
export function eventReader(
  limit: number,
  onMessage: (text: string) => boolean,
): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let over = false;
  let tooLong = false;
  const parser = createParser({
    maxBufferSize: limit,
    onEvent: ({ event, data }) => {
      if (over || data === "" || (event !== undefined && event !== "message")) return;
      over = onMessage(data);
    },
    onError: (error) => {
      tooLong ||= error.type === "max-buffer-size-exceeded";
    },
  });
  return (chunk) => {
    if (over) return;
    parser.feed(decoder.decode(chunk, { stream: true }));
    if (tooLong) throw new RangeError(`event longer than ${limit} characters`);
  };
}
