import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { PostgresServerError } from './postgres-server.error.js';
import type { Account } from './unprivileged-account.js';

export interface ProgramCall {
  /** Returns the arguments; `folder` is the path under which the program accesses its folder. */
  args: (folder: string) => string[];
  /** The folder of the cluster. */
  dir: string;
  /** Account to which root switches; null to run as the account of this process. */
  account: Account | null;
  detached?: boolean;
  /** Text for its standard input. */
  input?: string;
}

/** Path of the folder that a program inherits open: the first descriptor after the three standard streams. */
const OPEN_FOLDER = '/proc/self/fd/3';

/**
 * Starts a program of PostgreSQL without root's rights. The program ends with this process, except after a kill -9.
 *
 * Under another account it inherits its folder open: that account may not traverse a private parent folder (/root, a
 * temporary folder), and need not if root has opened this one folder for it.
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

/** @returns exit code and error output of a program. @throws PostgresServerError if it could not be started */
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

/** @returns the last line of a log, for an error message */
export function lastLine(text: string): string {
  return text.trim().split('\n').slice(-3).join(' / ') || 'no message';
}

function bindChild(child: ChildProcess, input: string | undefined): ChildProcess {
  const interrupt = (): void => void child.kill('SIGINT');
  process.once('exit', interrupt);
  child.once('exit', () => process.off('exit', interrupt));
  if (input !== undefined) {
    // A program that ends before it has read everything reports the reason itself.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  }
  return child;
}
