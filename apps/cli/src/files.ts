import {
  accessSync,
  constants,
  createWriteStream,
  existsSync,
  lstatSync,
  readFileSync,
  statSync,
  type WriteStream,
} from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UsageError } from './exit-codes.js';

/** Plain words for error codes of the operating system that a user can resolve. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EISDIR: 'is a folder, not a file',
  EACCES: 'cannot be read: permission denied',
  EPERM: 'cannot be read: permission denied',
};

/** Reads a file, or standard input for “-”. @throws UsageError when it cannot be read */
export function readBytes(path: string): Buffer<ArrayBuffer> {
  try {
    return readFileSync(path === '-' ? 0 : path);
  } catch (error) {
    throw unreadableFile(path, error);
  }
}

/**
 * Reads a JSON object from a file, or from standard input for “-”.
 * @throws UsageError when it cannot be read, or contains anything else
 */
export function readJson(path: string): Record<string, unknown> {
  // Windows programs begin files with a byte order mark.
  const text = readBytes(path)
    .toString('utf8')
    .replace(/^\ufeff/, '');
  const name = path === '-' ? 'Standard input' : path;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${name} is not JSON: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`${name} must hold a JSON object.`);
  return value as Record<string, unknown>;
}

/** @throws UsageError when a file does not exist, is a folder, or is not readable */
export function checkReadable(path: string): void {
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw unreadableFile(path, error);
  }
  if (statSync(path).isDirectory()) throw unreadableFile(path, { code: 'EISDIR' });
}

/** Returns the error for an unreadable file, with its name and the reason. */
export function unreadableFile(path: string, error: unknown): UsageError {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const reason = REASONS[code];
  return new UsageError(reason ? `${path} ${reason}.` : `${path} cannot be read: ${message}`);
}

/**
 * Checks that a file can be written before anything is requested.
 * @throws UsageError when its folder does not exist, it is a folder itself, or it is not writable
 */
export function checkWritable(path: string): void {
  const folder = dirname(path);
  if (!existsSync(folder))
    throw new UsageError(`${path} cannot be written: the folder ${folder} does not exist.`);
  const isThere = existsSync(path);
  if (isThere && statSync(path).isDirectory())
    throw new UsageError(`${path} cannot be written: it is a folder.`);
  if (!mayWrite(isThere ? path : folder))
    throw new UsageError(`${path} cannot be written: permission denied.`);
}

/** A file that appears under its name when it is complete; until then the previous one stays. */
export interface PartFile {
  readonly stream: WriteStream;
  /** Renames it when the stream has ended. */
  finish(): Promise<void>;
}

/** Opens a file beside the given path, or the path itself when it is a device or a link, or its folder is not writable. */
export function openPart(path: string): PartFile {
  const before = lstatSync(path, { throwIfNoEntry: false });
  const isReplaced = (before?.isFile() ?? true) && mayWrite(dirname(path));
  const part = isReplaced ? `${path}.part` : path;
  return {
    stream: createWriteStream(part, before ? { mode: before.mode } : {}),
    finish: async () => void (isReplaced && (await rename(part, path))),
  };
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
