import { createHmac, randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fchownSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { waitForExit, lastLine, launchProgram } from './launch-program.js';
import type { PostgresPrograms } from './postgres-programs.js';
import { PostgresServerError } from './postgres-server.error.js';
import type { Account } from './unprivileged-account.js';

const SECRET_BYTES = 32;
/** Access rules: a client on loopback with the password may connect. Everything else is rejected. */
const ACCESS_RULES = `# Written by Quarry at each start.
# TYPE  DATABASE  USER  ADDRESS       METHOD
host    all       all   127.0.0.1/32  scram-sha-256
`;

/** @returns the password of a cluster's superuser, which only the product's account can read; null before it is set */
export function clusterSecretOf(dir: string): string | null {
  const file = secretFileOf(dir);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
}

/** @returns the password of another role of the cluster, derived from the superuser's, which is the only stored secret */
export function rolePassword(secret: string, role: string): string {
  return createHmac('sha256', secret).update(role).digest('hex');
}

/**
 * Gives the superuser of a cluster a random password, over standard input of a server that accepts no connections, and
 * stores it. This also migrates a cluster of a version that trusted every client on loopback.
 * @throws PostgresServerError
 */
export async function makeClusterSecret(
  programs: PostgresPrograms,
  dir: string,
  superuser: string,
  account: Account | null,
): Promise<void> {
  const secret = randomBytes(SECRET_BYTES).toString('hex');
  const child = launchProgram(programs.postgres, {
    args: (folder) => ['--single', '-D', folder, 'postgres'],
    dir,
    account,
    input: `ALTER ROLE ${superuser} PASSWORD '${secret}'\n`,
  });
  const { code, stderr } = await waitForExit(child);
  if (code !== 0 || /\b(ERROR|FATAL|PANIC):/.test(stderr)) {
    throw new PostgresServerError(
      `The database in ${dir} could not be given a password: ${lastLine(stderr).replaceAll(secret, '…')}`,
    );
  }
  // Last: if the start is interrupted before, a new password is created.
  writePrivate(secretFileOf(dir), `${secret}\n`, null);
}

/** Replaces the cluster's access rules (pg_hba.conf). */
export function writeAccessRules(dir: string, account: Account | null): void {
  writePrivate(join(dir, 'pg_hba.conf'), ACCESS_RULES, account);
}

/** Returns a path beside the cluster's folder, which may belong to another account. */
function secretFileOf(dir: string): string {
  return `${dir}.password`;
}

/**
 * Writes a file atomically. The folder may belong to an account that must not gain root's rights, so no symbolic link in
 * it is followed.
 */
function writePrivate(path: string, text: string, owner: Account | null): void {
  const half = `${path}.half`;
  rmSync(half, { force: true });
  const file = openSync(half, 'wx', 0o600);
  try {
    if (owner) fchownSync(file, owner.uid, owner.gid);
    writeSync(file, text);
  } finally {
    closeSync(file);
  }
  renameSync(half, path);
}
