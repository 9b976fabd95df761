// PostgreSQL and Redis for a single side, so that their CPU is counted for that side.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { ROLES, roleSql } from '@quarry/postgres';
import { freePort, PostgresServer } from '@quarry/local-postgres';

/** Creates a folder in the system's temporary folder, removed at the end. */
export function openTempDir(life) {
  return life.open(
    'folder',
    () => mkdtempSync(join(tmpdir(), 'quarry-bench-')),
    (dir) => Promise.resolve(rmSync(dir, { recursive: true, force: true })),
  );
}

/**
 * Starts a separate cluster with the product's settings and an empty database.
 * @returns its addresses for the superuser and for two roles
 */
export async function openCluster(life) {
  const dir = await openTempDir(life);
  const server = await life.open(
    'PostgreSQL',
    () => PostgresServer.start({ dir: join(dir, 'postgres') }),
    (part) => part.stop(),
  );
  const client = new pg.Client({ connectionString: server.url('postgres') });
  await client.connect();
  await client.query('CREATE DATABASE quarry');
  // The product is measured with its roles: row-level security does not apply to the superuser.
  for (const role of Object.values(ROLES))
    await client.query(`${roleSql(role)}; ALTER ROLE ${role} LOGIN PASSWORD '${server.passwordOf(role)}'`);
  await client.query(`GRANT pg_maintain TO ${ROLES.working}`);
  await client.end();
  return {
    url: server.url('quarry'),
    servingUrl: server.url('quarry', ROLES.serving),
    workingUrl: server.url('quarry', ROLES.working),
    pid: server.pid,
  };
}

/** @returns whether redis-server is on the PATH */
export function hasRedis() {
  return spawnSync('redis-server', ['--version']).status === 0;
}

/** Starts a separate Redis without persistence. */
export async function openRedisServer(life) {
  const port = await freePort();
  const server = await life.open(
    'Redis',
    () =>
      spawn(
        'redis-server',
        ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
        { stdio: 'ignore' },
      ),
    (child) => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      return ended;
    },
  );
  return { url: `redis://127.0.0.1:${port}`, pid: server.pid };
}
