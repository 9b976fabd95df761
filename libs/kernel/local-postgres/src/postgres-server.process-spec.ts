import { afterEach, describe, expect, it } from '@jest/globals';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
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

/** Creates a folder that only its owner may enter, like temporary folders and /root. */
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

/** @returns the parent of a process; null if it has just ended */
function parentOf(pid: string): number | null {
  try {
    return Number(/^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return null;
  }
}

describe('the embedded PostgreSQL server', () => {
  it('starts below a private folder, for any user, and keeps its data between starts', async () => {
    const dir = privateFolder();
    const first = await start(dir);
    expect(await answerOf(first, "SELECT current_setting('server_version')")).toMatch(/^18/);
    await answerOf(first, 'CREATE TABLE kept AS SELECT 7 AS n');
    await first.stop();
    expect(PostgresServer.runningAt(dir)).toBeNull();
    expect(await answerOf(await start(dir), 'SELECT n FROM kept')).toBe(7);
  });

  it('says what to do with a folder of another version, and does not change it', async () => {
    const dir = privateFolder();
    await (await start(dir)).stop();
    writeFileSync(join(dir, 'PG_VERSION'), '17\n');
    await expect(start(dir)).rejects.toThrow(
      /created by PostgreSQL 17.*includes PostgreSQL 18.*admin -- backup/,
    );
    expect(readFileSync(join(dir, 'PG_VERSION'), 'utf8')).toBe('17\n');
    expect(PostgresServer.runningAt(dir)).toBeNull();
  });

  it("refuses connections without the password, which only the product's account can read", async () => {
    const dir = privateFolder();
    const server = await start(dir);
    const without = new URL(server.url('postgres'));
    without.password = '';
    const wrong = new URL(server.url('postgres'));
    wrong.password = 'quarry';
    for (const address of [without, wrong]) {
      const client = new pg.Client({ connectionString: address.href });
      await expect(client.connect()).rejects.toThrow(/password/i);
    }
    expect(statSync(`${dir}.password`).mode & 0o777).toBe(0o600);
    expect(statSync(`${dir}.password`).uid).toBe(process.getuid?.());
  });

  it('gets a password if it trusted everybody before, and keeps its data', async () => {
    const dir = privateFolder();
    const old = await start(dir);
    await answerOf(old, 'CREATE TABLE kept AS SELECT 7 AS n');
    await answerOf(old, 'ALTER ROLE quarry PASSWORD NULL');
    await old.stop();
    rmSync(`${dir}.password`);
    writeFileSync(join(dir, 'pg_hba.conf'), 'host all all 127.0.0.1/32 trust\n');
    const server = await start(dir);
    expect(await answerOf(server, 'SELECT n FROM kept')).toBe(7);
    const without = new URL(server.url('postgres'));
    without.password = '';
    await expect(new pg.Client({ connectionString: without.href }).connect()).rejects.toThrow(/password/i);
  });

  it('has no root rights in any of its processes', async () => {
    const server = await start(privateFolder());
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    const own = pids.filter((pid) => parentOf(pid) === server.pid || Number(pid) === server.pid);
    expect(own.length).toBeGreaterThan(1);
    for (const pid of own) {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      expect(status).not.toMatch(/^Uid:.*\t0(\t|$)/m);
      for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapAmb'])
        expect(status).toContain(`${set}:\t0000000000000000`);
    }
    // Not even a superuser can read files that only root may read.
    await expect(answerOf(server, "SELECT pg_read_file('/etc/shadow')")).rejects.toThrow(
      /permission denied/i,
    );
  });

  it('is stopped if a killed parent left it behind, and a new one takes its place', async () => {
    const dir = privateFolder();
    const left = await start(dir);
    expect(PostgresServer.runningAt(dir)).toBe(left.port);
    const next = await start(dir);
    expect(next.pid).not.toBe(left.pid);
    expect(await answerOf(next, 'SELECT 1')).toBe(1);
  });

  it('ignores a stale lock whose process id now belongs to another process', async () => {
    const dir = privateFolder();
    await (await start(dir)).stop();
    // This process is alive, and is not the server of the folder.
    writeFileSync(join(dir, 'postmaster.pid'), `${process.pid}\n${dir}\n0\n5432\n`);
    const server = await start(dir);
    expect(readFileSync(join(dir, 'postmaster.pid'), 'utf8').split('\n')[0]).toBe(String(server.pid));
  });

  it('says what to do if its folder cannot be written', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quarry-pg-'));
    folders.push(folder);
    writeFileSync(join(folder, 'file'), '');
    await expect(PostgresServer.start({ dir: join(folder, 'file', 'postgres') })).rejects.toThrow('DATA_DIR');
    expect(existsSync(join(folder, 'file'))).toBe(true);
  });
});
