import {
  closeSync,
  existsSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { isErrno } from "./errno.js";
import { ParleyError } from "../protocol/errors.js";
import { formatKeyFile, keyTextsOf, parseKeyFile, type KeyFile } from "./key-file-format.js";
import { POLL_INTERVAL, pollingSource, type KeySource } from "./key-source.js";

/** Far above any key file; below anything that would hurt to read every few seconds. */
const MAX_FILE = 256 * 1024;

/**
 * Keys from a file, read again every `interval` ms (default 5000): a key file as `parley keys`
 * makes it, or a plain list of keys with the primary first. A file that is missing, unreadable or
 * no good leaves the ring with the keys it has and is told once as `keys_rejected`. At start-up it
 * throws `keys_missing` or `key_invalid`.
 */
export function keyFile(path: string, interval: number = POLL_INTERVAL): KeySource {
  let first: string;
  try {
    first = readNow(path);
  } catch (cause) {
    if (!isErrno(cause)) throw cause;
    throw new ParleyError(
      "keys_missing",
      `The key file ${path} can't be read (${cause.code}). Make one with \`parley keys new ${path}\`.`,
      { cause },
    );
  }
  return pollingSource(
    path,
    keyTextsOf(first),
    async () => keyTextsOf(await readLater(path)),
    interval,
  );
}

function readNow(path: string): string {
  const descriptor = openSync(path, "r");
  try {
    checkSize(fstatSync(descriptor).size);
    return readFileSync(descriptor, "utf8");
  } finally {
    closeSync(descriptor);
  }
}

async function readLater(path: string): Promise<string> {
  const handle = await open(path, "r");
  try {
    checkSize((await handle.stat()).size);
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

function checkSize(size: number): void {
  if (size <= MAX_FILE) return;
  throw new ParleyError("key_invalid", `A key file of ${size} bytes is too large: ${MAX_FILE}.`);
}

/** Reads a key file as `parley keys` makes it. Throws `key_invalid`, or the system's own error. */
export function readKeyFile(path: string): KeyFile {
  return parseKeyFile(readNow(path));
}

/**
 * Writes a new key file, which only its owner may read. Throws `usage` where there is one already.
 */
export function createKeyFile(path: string, file: KeyFile): void {
  replace(path, () => {
    if (existsSync(path)) {
      throw new ParleyError("usage", `${path} exists. \`parley keys add\` adds a key to it.`);
    }
    return file;
  });
}

/**
 * Changes a key file in one step: a reader sees the old one or the new one, whole. Two edits at
 * once can't undo each other: the second fails with `usage`. The file stays its owner's and only
 * the owner may read it.
 */
export function editKeyFile(path: string, edit: (file: KeyFile) => KeyFile): KeyFile {
  return replace(realpathSync(path), (real) => edit(readKeyFile(real)));
}

function replace(path: string, make: (path: string) => KeyFile): KeyFile {
  const draft = `${path}.new`;
  const descriptor = openDraft(draft);
  let file: KeyFile;
  try {
    try {
      file = make(path);
      keepOwner(path, descriptor);
      writeFileSync(descriptor, formatKeyFile(file));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(draft, path);
  } catch (error) {
    unlinkSync(draft);
    throw error;
  }
  // From here on a draft would be somebody else's.
  syncFolder(dirname(path));
  return file;
}

/** The draft is the lock as well: only one edit at a time can create it. */
function openDraft(draft: string): number {
  try {
    return openSync(draft, "wx", 0o600);
  } catch (cause) {
    if (!isErrno(cause) || cause.code !== "EEXIST") throw cause;
    throw new ParleyError(
      "usage",
      `Another edit is under way, or one was cut off: ${draft} exists. If no other is running, delete it.`,
      { cause },
    );
  }
}

/** An administrator's edit must not take the file away from the service that reads it. */
function keepOwner(path: string, descriptor: number): void {
  if (!existsSync(path)) return;
  const { uid, gid } = statSync(path);
  if (uid !== process.getuid?.() || gid !== process.getgid?.()) fchownSync(descriptor, uid, gid);
}

/** Makes the rename last through a power cut, where folders can be synced at all. */
function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
