import type { Writable } from "node:stream";
import { styleText } from "node:util";

type Format = Parameters<typeof styleText>[0];

/** Sets a text off, where the stream it is meant for shows colours. */
export type Paint = (format: Format, text: string) => string;

/** Paints for one stream: its own answer decides, which heeds NO_COLOR and FORCE_COLOR. */
export function paintFor(stream: Writable & { hasColors?: () => boolean }): Paint {
  if (stream.hasColors?.() !== true) return (_format, text) => text;
  return (format, text) => styleText(format, text, { validateStream: false });
}
