// Keys beyond a value: files that are read again, edited step by step, and sources of one's own.
export {
  addKey,
  disableKey,
  findEntry,
  newKeyFile,
  promoteKey,
  safeToDisableFrom,
  safeToPromoteFrom,
} from "../state/key-edits.js";
export type { KeyEntry, KeyFile } from "../state/key-file-format.js";
export { createKeyFile, editKeyFile, keyFile, readKeyFile } from "../state/key-file.js";
export {
  type KeyListener,
  type KeySource,
  type KeyTexts,
  polledKeys,
} from "../state/key-source.js";
export { newKeyText } from "../state/key-text.js";
export { type KeyEvent, keyRing, KeyRing } from "../state/ring.js";
export { RingKey } from "../state/ring-key.js";
export type { SecretText } from "../state/secret-text.js";
export { isParleyError, ParleyError } from "../protocol/errors.js";
