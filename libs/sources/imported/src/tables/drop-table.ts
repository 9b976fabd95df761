import { setTimeout as delay } from 'node:timers/promises';
import { isLockedOut, type RawClient } from '@quarry/postgres';
import { tableOf } from './directory-table.js';
import type { DirectoryKind } from './target-fields.catalogue.js';

/**
 * Lock timeout of the first attempts. A waiting DROP TABLE blocks all new searches, and a search waits for a lock for 1 s
 * only (docs/reliability.md). So each attempt waits for half of that and pauses before the next one, for a minute.
 */
const POLITE_LOCK = '500ms';
const PAUSE_MS = 250;
const POLITE_FOR_MS = 60_000;
/** Lock timeout of the last attempt: running searches end within 5 s, and new ones are refused for that time. */
const INSISTING_LOCK = '60s';

/**
 * Drops the table of a directory when no search uses it; concurrent searches are still served.
 * @param client in a transaction, whose `lock_timeout` is changed
 * @throws the driver's error, 55P03 when the table has been locked by others for two minutes
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
