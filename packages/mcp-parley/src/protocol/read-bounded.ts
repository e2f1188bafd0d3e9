import { ByteCollector } from "./byte-collector.js";

/**
 * The bytes of a body, counted as they come; undefined where there are more than `limit`: then no
 * more is read. Rejects where the body breaks off.
 */
export async function readBounded(
  body: ReadableStream<Uint8Array> | null,
  limit: number,
): Promise<Uint8Array | undefined> {
  const bytes = new ByteCollector();
  if (body === null) return bytes.take();
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return bytes.take();
    if (bytes.size + value.length > limit) {
      await reader.cancel();
      return undefined;
    }
    bytes.add(value);
  }
}
