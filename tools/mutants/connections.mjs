// What keeps connections free of what belongs to one transaction, and finds those that are dead.
import { mutant } from './mutant.mjs';

const POOLED = 'libs/kernel/postgres/src/database/transaction-mode.db.spec.ts';
const MIGRATE = 'libs/kernel/postgres/src/schema/migrate.db.spec.ts';
const QUEUES = 'libs/kernel/queue/src/queue-bus.db.spec.ts';
const QUEUE_SCHEMA = 'libs/kernel/queue/src/queue-schema.db.spec.ts';
const FRAME = 'libs/kernel/postgres/src/database/transaction-frame.ts';
const SETTINGS = 'libs/kernel/postgres/src/database/connection-settings.ts';

export const CONNECTION_MUTANTS = [
  mutant('connections: a limit for each statement', POOLED, 'limits and the role', [
    FRAME,
    "      ['statement_timeout', String(statementMs)],\n",
    '',
  ]),
  mutant('connections: settings end with their transaction', POOLED, 'behind a pooler', [
    FRAME,
    'SET LOCAL ${name} = ${value}',
    'SET ${name} = ${value}',
  ]),
  mutant('connections: names only where names are kept', POOLED, 'prepared statements', [
    SETTINGS,
    'return !isOwnName || pid === processIdOf(client);',
    'return true;',
  ]),
  mutant('connections: the migration leaves nothing in a session', POOLED, 'empty database', [
    'libs/kernel/postgres/src/schema/migrate.ts',
    'queryRunner.query(`SET LOCAL lock_timeout = ${LOCK_MS}`)',
    'queryRunner.query(`SET lock_timeout = ${LOCK_MS}`)',
  ]),
  mutant('connections: queues refuse a pooler', QUEUE_SCHEMA, 'queues in PostgreSQL', [
    'libs/kernel/queue/src/queue-schema.ts',
    'if (rows[0]!.pid !== processIdOf(client)) throw new PooledQueueError();',
    '',
  ]),
  mutant('connections: who listens is asked', QUEUES, 'goes silent', [
    'libs/kernel/postgres/src/database/impatient-client.ts',
    'if (isListen(args[0])) this.askOften();',
    '',
  ]),
  mutant('functions: the search path is pinned', MIGRATE, 'a function of the product', [
    'libs/kernel/postgres/src/schema/access-rules.ts',
    '...(await searchPathsOf(client)),',
    '',
  ]),
];
