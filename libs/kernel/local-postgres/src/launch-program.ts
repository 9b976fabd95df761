import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { PostgresServerError } from './postgres-server.error.js';
import type { Account } from './unprivileged-account.js';

export interface ProgramCall {
  /** The arguments, given the name under which the program finds its folder. */
  args: (folder: string) => string[];
  /** The folder of the cluster. */
  dir: string;
  /** The account that root lends it; null to run it as the account of this process. */
  account: Account | null;
  detached?: boolean;
  /** Text for its standard input. */
  input?: string;
}

/** Path under which a program finds the folder that it was given open: the first descriptor after the three streams. */
const OPEN_FOLDER = '/proc/self/fd/3';

/**
 * Starts a program of PostgreSQL, without any right of root. However this process ends, short of a kill -9, the program
 * ends with it.
 *
 * Under another account it is given its folder open: below a private folder (/root, a temporary folder) that account may
 * not pass, and needs no right to pass when root has opened the door for this one folder.
 */
export function launchProgram(file: string, call: ProgramCall): ChildProcess {
  const { dir, account, detached = false, input } = call;
  const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8', TZ: 'UTC' };
  const stdin = input === undefined ? 'ignore' : 'pipe';
  if (!account) {
    return bindChild(spawn(file, call.args(dir), { stdio: [stdin, 'ignore', 'pipe'], detached, env }), input);
  }
  const folder = openSync(dir, 'r');
  try {
    const child = spawn(file, call.args(OPEN_FOLDER), {
      stdio: [stdin, 'ignore', 'pipe', folder],
      detached,
      env,
      cwd: '/',
      uid: account.uid,
      gid: account.gid,
    });
    return bindChild(child, input);
  } finally {
    closeSync(folder);
  }
}

/** @returns how a program ended, and what it said. @throws PostgresServerError when it could not be started */
export function waitForExit(child: ChildProcess): Promise<{ code: number | null; stderr: string }> {
  return new Promise((resolve, reject) => {
    let stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
    child.once('error', (error) =>
      reject(new PostgresServerError(`PostgreSQL could not be started: ${error.message}`)),
    );
    child.once('close', (code) => resolve({ code, stderr }));
  });
}

/** @returns the last words of a log, for a sentence */
export function lastLine(text: string): string {
  return text.trim().split('\n').slice(-3).join(' / ') || 'no message';
}

function bindChild(child: ChildProcess, input: string | undefined): ChildProcess {
  const interrupt = (): void => void child.kill('SIGINT');
  process.once('exit', interrupt);
  child.once('exit', () => process.off('exit', interrupt));
  if (input !== undefined) {
    // A program that ends before it has read all says why by itself.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  }
  return child;
}
