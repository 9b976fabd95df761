import { openHttpEdge } from '@quarry/edge';
import {
  createLogger,
  createMetrics,
  Database,
  Lifecycle,
  loadEnvOrExit,
  serveOperations,
  systemCtx,
  TcpRpcTransport,
} from '@quarry/platform';
import { GatewayEnv } from './gateway.env.js';

const env = loadEnvOrExit(GatewayEnv);
const logger = createLogger('gateway', env.LOG_LEVEL);
const life = new Lifecycle((part, error) => logger.error({ err: error, part }, 'a part did not close'));
life.closeOnSignals((code) => process.exit(code));

const database = await life.open(
  'database',
  // Keys are read through the pipelined readers; nothing here needs a transaction.
  () => Database.open({ url: env.DATABASE_URL, applicationName: 'gateway', poolSize: 1 }),
  (part) => part.close(),
);
const rpc = await life.open(
  'rpc',
  () =>
    new TcpRpcTransport({
      upstreams: {
        'tables.': env.TABLES_RPC_URL,
        'runs.': env.RUNS_RPC_URL,
        'services.': env.SERVICES_RPC_URL,
      },
    }),
  (part) => part.close(),
);
await life.open(
  'operations',
  () =>
    serveOperations({
      registry: createMetrics('gateway'),
      host: env.METRICS_HOST,
      port: env.METRICS_PORT,
      ready: async () => void (await database.query(systemCtx('readiness'), 'SELECT 1')),
    }),
  (server) => server.close(),
);
const edge = await life.open(
  'http',
  () =>
    openHttpEdge({
      port: env.PORT,
      host: env.HOST,
      database,
      rpc,
      redisUrl: env.REDIS_URL ?? null,
      rateLimitScale: env.RATE_LIMIT_SCALE,
      trustedProxies: env.TRUSTED_PROXIES,
      logger,
    }),
  (part) => part.close(),
);
logger.info({ port: edge.port }, 'the gateway listens');
