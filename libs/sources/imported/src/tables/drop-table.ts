import { setTimeout as delay } from 'node:timers/promises';
import { isLockedOut, type RawClient } from '@quarry/postgres';
import { tableOf } from './directory-table.js';
import type { DirectoryKind } from './target-fields.catalogue.js';

/**
 * Whoever waits to drop a table keeps out all who come to search it, and a search waits for a lock for 1 s only
 * (docs/reliability.md). So it waits for half of that, lets the others pass, and tries again, for a minute.
 */
const POLITE_LOCK = '500ms';
const PAUSE_MS = 250;
const POLITE_FOR_MS = 60_000;
/** After that it insists: every search that is running ends within 5 s, and others are refused for so long. */
const INSISTING_LOCK = '60s';

/**
 * Drops the table of a directory once nobody searches it; searches that come meanwhile are answered.
 * @param client in a transaction, whose `lock_timeout` is not the same afterwards
 * @throws the driver's error, 55P03 when somebody has kept the table locked for two minutes
 */
export async function dropTable(client: RawClient, kind: DirectoryKind, number: number): Promise<void> {
  const drop = `DROP TABLE ${tableOf(kind, number)}`;
  await client.query(`SET LOCAL lock_timeout = '${POLITE_LOCK}'; SAVEPOINT before_drop`);
  const insistsAtMs = performance.now() + POLITE_FOR_MS;
  while (performance.now() < insistsAtMs) {
    try {
      await client.query(drop);
      return;
    } catch (error) {
      if (!isLockedOut(error)) throw error;
      await client.query('ROLLBACK TO SAVEPOINT before_drop');
    }
    await delay(PAUSE_MS);
  }
  await client.query(`SET LOCAL lock_timeout = '${INSISTING_LOCK}'; ${drop}`);
}
