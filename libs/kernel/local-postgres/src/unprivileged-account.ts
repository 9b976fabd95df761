import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PostgresServerError } from './postgres-server.error.js';

/** A system account that a server may run as. */
export interface Account {
  uid: number;
  gid: number;
}

/**
 * Returns the account to run PostgreSQL as, because it refuses to run as root: the owner of the cluster; for a new one
 * `postgres` if it exists, else `nobody`. It must have an entry in the user database, which initdb looks up.
 * @throws PostgresServerError if the machine has neither
 */
export function accountForRoot(clusterDir: string): Account {
  const owner = statSync(join(clusterDir, 'PG_VERSION'), { throwIfNoEntry: false });
  if (owner && owner.uid > 0) return { uid: owner.uid, gid: owner.gid };
  const users = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ['postgres', 'nobody']) {
    const fields = users.find((line) => line.startsWith(`${name}:`))?.split(':');
    if (fields && Number(fields[2]) > 0) return { uid: Number(fields[2]), gid: Number(fields[3]) };
  }
  throw new PostgresServerError(
    'PostgreSQL cannot run as root, and this machine has neither a "postgres" nor a "nobody" user. Create one, run as a normal user, or set DATABASE_URL.',
  );
}

/** @returns whether the account may traverse every parent folder of a path */
export function canTraverse(path: string, account: Account): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const { mode, uid, gid } = statSync(folder);
    const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}
