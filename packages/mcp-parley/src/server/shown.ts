import { ParleyError } from "../protocol/errors.js";
import type { Annotations, Icon } from "../protocol/content.js";

/** Schemes of icons. Clients refuse all others. Specification: basic/index, `icons`. */
const SCHEMES: readonly string[] = ["https:", "http:", "data:"];

/** What is told of a thing beside its name, of those parts that clients may refuse. */
interface Told {
  readonly icons?: readonly Icon[] | undefined;
  readonly annotations?: object | undefined;
}

/** Throws `usage` for icons and annotations that clients would have to leave out. */
export function checkShown(what: string, { icons, annotations }: Told): void {
  for (const { src } of icons ?? []) {
    if (!URL.canParse(src) || !SCHEMES.includes(new URL(src).protocol)) {
      throw new ParleyError("usage", `${what}: an icon is an https: or data: URI; got '${src}'`);
    }
  }
  const { priority, lastModified } = (annotations ?? {}) as Annotations;
  if (priority !== undefined && !(priority >= 0 && priority <= 1)) {
    throw new ParleyError("usage", `${what}: priority is from 0 to 1; got ${String(priority)}`);
  }
  if (lastModified !== undefined && Number.isNaN(Date.parse(lastModified))) {
    throw new ParleyError("usage", `${what}: lastModified is a time in ISO 8601`);
  }
}
