import { createHttpApi } from '@quarry/http';
import {
  createLogger,
  IdleMemory,
  Lifecycle,
  loadEnvOrExit,
  openTracing,
  orExit,
  startOrExit,
} from '@quarry/app';
import { rpcSecurityOf, TcpRpcTransport } from '@quarry/rpc';
import { AppModule } from './app.module.js';
import { GatewayEnv } from './gateway.env.js';

const env = loadEnvOrExit(GatewayEnv);
const security = await orExit(() => rpcSecurityOf(env));
const logger = createLogger('gateway', env.LOG_LEVEL);
const life = new Lifecycle((part, error) => logger.error({ err: error, part }, 'a part did not close'));
life.closeOnSignals((code) => process.exit(code));

const port = await startOrExit({ life, logger }, async () => {
  await openTracing(env, { app: 'gateway', life, logger });
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
  const api = await life.open(
    'gateway',
    () =>
      createHttpApi(AppModule.forRoot(env, { life, logger, rpc }), {
        logger,
        timeouts: { leaveMs: env.SHUTDOWN_DELAY_MS },
      }),
    (part) => part.close(life.force),
  );
  return api.listen(env.PORT, env.HOST);
});
new IdleMemory().start();
logger.info({ port }, 'the gateway listens');
