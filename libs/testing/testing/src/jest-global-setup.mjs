import { mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'quarry-test-';
const MEMORY_FOLDER = '/dev/shm';
/** Minimum free memory there, so that the files of a run leave a small machine enough. */
const MEMORY_MIN = 4 * 1024 ** 3;

/**
 * Starts one PostgreSQL for all database and end-to-end specs of this run, with one migrated database that every spec file
 * clones. Runs outside Jest's transform, so it uses the built packages.
 */
export default async function setup() {
  if (process.env.QUARRY_TEST_POSTGRES_URL) return;
  const { startMigratedPostgres } = await import('../dist/migrated-postgres.js');
  const folder = findServerFolder();
  const server = await startMigratedPostgres(mkdtempSync(join(folder, `${PREFIX}${process.pid}-`)));
  globalThis.__quarryTestPostgres = server;
  process.env.QUARRY_TEST_POSTGRES_URL = server.adminUrl;
}

/** @returns a folder in memory if enough is free: a clone is a thousand files, which a disk creates eight times slower */
function findServerFolder() {
  try {
    removeLeftovers(MEMORY_FOLDER);
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return bavail * bsize >= MEMORY_MIN ? MEMORY_FOLDER : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** Removes folders of killed runs, which would occupy memory until the machine restarts. */
function removeLeftovers(folder) {
  for (const name of readdirSync(folder)) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    if (pid && !isAlive(Number(pid))) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}
