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

/** Plain words for the codes of the operating system that a person can do something about. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'is not there',
  ENOTDIR: 'is not there',
  EISDIR: 'is a folder, not a file',
  EACCES: 'may not be read by this user',
  EPERM: 'may not be read by this user',
};

/**
 * Reads a file, or standard input for “-”.
 * @throws UsageError where it cannot be read
 */
export function readBytes(path: string): Buffer<ArrayBuffer> {
  try {
    return readFileSync(path === '-' ? 0 : path);
  } catch (error) {
    throw unreadableFile(path, error);
  }
}

/**
 * Reads a file, or standard input for “-”, that holds a JSON object.
 * @throws UsageError where it cannot be read, or holds anything else
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
    throw new UsageError(`${name} is no JSON: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`${name} must hold a JSON object.`);
  return value as Record<string, unknown>;
}

/** @throws UsageError where a file is not there, or a folder, or this user may not read it */
export function checkReadable(path: string): void {
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw unreadableFile(path, error);
  }
  if (statSync(path).isDirectory()) throw unreadableFile(path, { code: 'EISDIR' });
}

/** Returns the error of a file that could not be read: its name, and why. */
export function unreadableFile(path: string, error: unknown): UsageError {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const reason = REASONS[code];
  return new UsageError(reason ? `${path} ${reason}.` : `${path} cannot be read: ${message}`);
}

/**
 * Checks that a file can be written, before anything is asked for.
 * @throws UsageError where its folder is not there, or it is a folder itself, or this user may not write it
 */
export function checkWritable(path: string): void {
  const folder = dirname(path);
  if (!existsSync(folder))
    throw new UsageError(`${path} cannot be written: the folder ${folder} is not there.`);
  const isThere = existsSync(path);
  if (isThere && statSync(path).isDirectory())
    throw new UsageError(`${path} cannot be written: it is a folder.`);
  if (!mayWrite(isThere ? path : folder)) throw new UsageError(`${path} cannot be written by this user.`);
}

/** A file that appears under its name once it is whole; until then the one of before stays. */
export interface PartFile {
  readonly stream: WriteStream;
  /** Gives it its name, when the stream has ended. */
  finish(): Promise<void>;
}

/** Opens a file beside the one of a path, or that one where it is a device or a link, or nothing may be put beside it. */
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
