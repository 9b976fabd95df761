import {
  agentPart,
  batchPart,
  openServiceProcess,
  retentionOf,
  retentionPart,
  runsPart,
  searchPart,
  serveRpc,
  tablesPart,
} from '@quarry/composition';
import { loadEnvOrExit } from '@quarry/platform';
import { RunsAgentEnv } from './runs-agent.env.js';

const env = loadEnvOrExit(RunsAgentEnv);
const service = await openServiceProcess('runs-agent', env);
const { life, database, queues, logger } = service;
const appUrl = env.APP_URL.replace(/\/+$/, '');
const tables = tablesPart({ database, appUrl, cursorSecret: env.CURSOR_SECRET });
if (env.AGENT) {
  const search = searchPart(env.SANDBOX);
  const batches = await life.open(
    'batches',
    () => batchPart({ database, queues, search, cursorSecret: env.CURSOR_SECRET }),
    (part) => part.close(),
  );
  await life.open(
    'agents',
    () => agentPart({ database, queues, tables, batches, search, logger }),
    (part) => part.close(),
  );
  await life.open(
    'retention',
    () => retentionPart({ database, logger, settings: retentionOf(env), rooms: ['runs'] }),
    (part) => part.close(),
  );
}
await serveRpc(env, service, [runsPart({ database, queues, tables, appUrl }).handlers]);
