// What keeps connections free of what belongs to one transaction, and finds those that are dead.
import { mutant } from './mutant.mjs';

const POOLED = 'libs/platform/src/database/transaction-mode.db.spec.ts';
const MIGRATE = 'libs/platform/src/database/migrate.db.spec.ts';
const QUEUES = 'libs/platform/src/queue/queue-bus.db.spec.ts';
const FRAME = 'libs/platform/src/database/transaction-frame.ts';
const SETTINGS = 'libs/platform/src/database/connection-settings.ts';

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
    'libs/platform/src/database/migrate.ts',
    'queryRunner.query(`SET LOCAL lock_timeout = ${LOCK_MS}`)',
    'queryRunner.query(`SET lock_timeout = ${LOCK_MS}`)',
  ]),
  mutant('connections: queues refuse a pooler', POOLED, 'queues in PostgreSQL', [
    'libs/platform/src/queue/queue-schema.ts',
    'if (rows[0]!.pid !== processIdOf(client)) throw new PooledQueueError();',
    '',
  ]),
  mutant('connections: who listens is asked', QUEUES, 'goes silent', [
    'libs/platform/src/database/impatient-client.ts',
    'if (isListen(args[0])) this.askOften();',
    '',
  ]),
  mutant('functions: the search path is pinned', MIGRATE, 'a function of the product', [
    'libs/platform/src/database/access-rules.ts',
    '...(await searchPathsOf(client)),',
    '',
  ]),
];
