import { openServiceProcess, serveRpc, tablesPart } from '@quarry/composition';
import { loadEnvOrExit } from '@quarry/platform';
import { TablesEnv } from './tables.env.js';

const env = loadEnvOrExit(TablesEnv);
const service = await openServiceProcess('tables', env);
const { database } = service;
const appUrl = env.APP_URL.replace(/\/+$/, '');
const tables = tablesPart({ database, appUrl, cursorSecret: env.CURSOR_SECRET });
await serveRpc(env, service, [tables.handlers]);
