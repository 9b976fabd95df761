import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appEnv, mainOf } from './app-main.js';

export interface AdminRun {
  code: number | null;
  stdout: string;
  stderr: string;
}

/**
 * Runs the built admin command as a separate process, with only the given variables and PATH.
 * @param input its standard input
 * @param nodeArgs options of Node
 * @param checkout folder of another built version; this one by default
 */
export async function runAdmin(
  env: Record<string, string>,
  args: string[],
  input = '',
  nodeArgs: string[] = [],
  checkout?: string,
): Promise<AdminRun> {
  const child = spawn(process.execPath, [...nodeArgs, mainOf('admin', checkout), ...args], {
    env: { ...appEnv(), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const run: AdminRun = { code: null, stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (run.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (run.stderr += text));
  // A command that reads nothing may have ended before its input is written.
  child.stdin.on('error', () => undefined).end(input);
  [run.code] = (await once(child, 'close')) as [number | null];
  return run;
}
