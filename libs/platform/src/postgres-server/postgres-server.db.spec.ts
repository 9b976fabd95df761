import { afterEach, describe, expect, it } from '@jest/globals';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { PostgresServer } from './postgres-server.js';

const folders: string[] = [];
const servers: PostgresServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A folder that only its owner may enter, as temporary folders and /root are. */
function privateFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quarry-pg-'));
  folders.push(folder);
  return join(folder, 'postgres');
}

async function start(dir: string): Promise<PostgresServer> {
  const server = await PostgresServer.start({ dir, settings: ['fsync=off'] });
  servers.push(server);
  return server;
}

async function answerOf(server: PostgresServer, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: server.url('postgres') });
  await client.connect();
  try {
    return Object.values((await client.query<Record<string, unknown>>(sql)).rows[0] ?? {})[0];
  } finally {
    await client.end();
  }
}

describe('the embedded server', () => {
  it('starts below a private folder, whoever the user is, and keeps its data from start to start', async () => {
    const dir = privateFolder();
    const first = await start(dir);
    expect(await answerOf(first, "SELECT current_setting('server_version')")).toMatch(/^18/);
    await answerOf(first, 'CREATE TABLE kept AS SELECT 7 AS n');
    await first.stop();
    expect(PostgresServer.runningAt(dir)).toBeNull();
    expect(await answerOf(await start(dir), 'SELECT n FROM kept')).toBe(7);
  }, 60_000);

  it('ends a server that a killed parent left behind, and takes its place', async () => {
    const dir = privateFolder();
    const left = await start(dir);
    expect(PostgresServer.runningAt(dir)).toBe(left.port);
    const next = await start(dir);
    expect(next.pid).not.toBe(left.pid);
    expect(await answerOf(next, 'SELECT 1')).toBe(1);
  }, 60_000);

  it('is not stopped by a stale lock whose process id now belongs to somebody else', async () => {
    const dir = privateFolder();
    await (await start(dir)).stop();
    // This very process lives, and is no server of the folder.
    writeFileSync(join(dir, 'postmaster.pid'), `${process.pid}\n${dir}\n0\n5432\n`);
    const server = await start(dir);
    expect(readFileSync(join(dir, 'postmaster.pid'), 'utf8').split('\n')[0]).toBe(String(server.pid));
  }, 60_000);

  it('says what to do when its folder cannot be written', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quarry-pg-'));
    folders.push(folder);
    writeFileSync(join(folder, 'file'), '');
    await expect(PostgresServer.start({ dir: join(folder, 'file', 'postgres') })).rejects.toThrow('DATA_DIR');
    expect(existsSync(join(folder, 'file'))).toBe(true);
  });
});
