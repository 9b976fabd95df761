import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TransactionPooler } from '@quarry/test-servers';
import { createLogger } from '@quarry/app';
import { openReadyDatabase } from '@quarry/postgres';
import { migrateQueues, missingQueueSchema } from './queue-schema.js';
import { createTestDatabase, type TestDatabase } from './spec-kit.js';

/** Session state that a migration could leave behind in the pooler: settings, a role, a lock. */
const RESIDUE = `SELECT nullif(concat_ws('; ',
    (SELECT string_agg(name || '=' || setting, ', ') FROM pg_settings WHERE source = 'session'),
    (SELECT 'role ' || current_user WHERE current_user <> session_user),
    (SELECT 'locks ' || count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() HAVING count(*) > 0)), '')`;

let test: TestDatabase;
let pooler: TransactionPooler;
beforeAll(async () => void (test = await createTestDatabase()));
afterAll(() => test.drop());
beforeEach(async () => void (pooler = await TransactionPooler.before(test.url, test.ownerUrl)));
afterEach(() => pooler.close());

describe('queues in PostgreSQL', () => {
  it('are awaited by a process that uses them', async () => {
    await test.asOwner('DROP SCHEMA quarry_queue CASCADE');
    const options = { url: test.url, applicationName: 'spec', logger: createLogger('spec', 'silent') };
    const missingElsewhere = (): Promise<string | null> => missingQueueSchema(test.url);
    await expect(openReadyDatabase({ ...options, missingElsewhere, timeoutMs: 0 })).rejects.toThrow(
      /schema of the queues is missing/,
    );
    const opened = openReadyDatabase({ ...options, missingElsewhere });
    await migrateQueues(test.ownerUrl, ['spec']);
    await (await opened).close();
  });

  it('refuse an address that leads to a pooler, and say what to set', async () => {
    await migrateQueues(test.ownerUrl, ['spec']);
    expect(await missingQueueSchema(test.url)).toBeNull();
    await expect(missingQueueSchema(pooler.through(test.url))).rejects.toThrow(/Set QUEUE_URL/);
  });

  it('are migrated through a pooler nevertheless', async () => {
    await migrateQueues(pooler.through(test.ownerUrl), ['spec', 'another']);
    expect(await missingQueueSchema(test.url)).toBeNull();
    expect(await pooler.askServers(test.ownerUrl, RESIDUE)).toEqual([null, null, null]);
  });
});
