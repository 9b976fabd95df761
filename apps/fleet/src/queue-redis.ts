import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Start options of the Redis of a fleet. */
export interface QueueRedis {
  /** Address with the password. */
  url: string;
  command: string;
  args: string[];
}

/** @returns whether redis-server is installed */
export function hasRedisServer(): boolean {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/**
 * Writes the settings of a Redis for queues: on loopback, with a password, without eviction, with an append-only file.
 * Ends one that a killed fleet has left running on the same folder.
 * @param folder of its files; created when missing
 */
export function prepareQueueRedis(folder: string, port: number, password: string): QueueRedis {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const pidFile = join(folder, 'redis.pid');
  const file = join(folder, 'redis.conf');
  endLeftover(pidFile, file);
  const settings = [
    `port ${port}`,
    'bind 127.0.0.1',
    `requirepass ${password}`,
    `dir "${folder}"`,
    `pidfile "${pidFile}"`,
    'maxmemory-policy noeviction',
    'appendonly yes',
    'save ""',
    // The output of its start alone would fill a screen.
    `logfile "${join(folder, 'redis.log')}"`,
    // Distinguishes a server that was left running from others.
    'proc-title-template "{title} {config-file}"',
  ];
  writeFileSync(file, `${settings.join('\n')}\n`, { mode: 0o600 });
  return { url: `redis://:${password}@127.0.0.1:${port}/0`, command: 'redis-server', args: [file] };
}

/** Ends a leftover server, because two must not write one file. Checks that the pid belongs to the server of this folder. */
function endLeftover(pidFile: string, settingsFile: string): void {
  try {
    const pid = Number(readFileSync(pidFile, 'utf8'));
    const command = execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
    if (command.includes(settingsFile)) process.kill(pid, 'SIGKILL');
  } catch {
    // No file, or no process with this id any more.
  }
  rmSync(pidFile, { force: true });
  rmSync(settingsFile, { force: true });
}
