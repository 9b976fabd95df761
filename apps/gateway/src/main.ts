import { openHttpEdge } from '@quarry/edge';
import {
  CONNECTION_BUDGETS,
  createLogger,
  createMetrics,
  Lifecycle,
  loadEnvOrExit,
  openReadyDatabase,
  orExit,
  probesOf,
  rpcSecurityOf,
  serveOperations,
  TcpRpcTransport,
} from '@quarry/platform';
import { GatewayEnv } from './gateway.env.js';

const env = loadEnvOrExit(GatewayEnv);
const security = orExit(() => rpcSecurityOf(env));
const logger = createLogger('gateway', env.LOG_LEVEL);
const life = new Lifecycle((part, error) => logger.error({ err: error, part }, 'a part did not close'));
life.closeOnSignals((code) => process.exit(code));

const database = await life.open(
  'database',
  () =>
    openReadyDatabase({
      url: env.DATABASE_URL,
      applicationName: 'gateway',
      connections: CONNECTION_BUDGETS.gateway,
      logger,
    }),
  (part) => part.close(),
);
logger.info({ connections: database.connections }, 'connections to PostgreSQL at most');
const rpc = await life.open(
  'rpc',
  () =>
    new TcpRpcTransport({
      security,
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
      ...probesOf(database, () => life.isClosing),
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
      leaveMs: env.LEAVE_MS,
      logger,
    }),
  (part) => part.close(life.hurry),
);
logger.info({ port: edge.port }, 'the gateway listens');
