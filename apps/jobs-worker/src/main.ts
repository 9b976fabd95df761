import { ServiceHost } from '@quarry/composition';
import {
  DESTINATIONS_RPC,
  OUTREACH_RPC,
  ERASURES_RPC,
  FAST_SERVICES_RPC,
  GO_RPC,
  IDENTITY_RPC,
  PROVIDERS_RPC,
  SERVICES_RPC,
  WEBHOOKS_RPC,
} from '@quarry/dto';
import { loadEnvOrExit, orExit } from '@quarry/app';
import { CONNECTION_BUDGETS } from '@quarry/postgres';
import { AppModule } from './app.module.js';
import { JobsWorkerEnv } from './jobs-worker.env.js';

const env = loadEnvOrExit(JobsWorkerEnv);
const budget = CONNECTION_BUDGETS[env.SERVICES_RPC ? 'jobs-worker, SERVICES_RPC=on' : 'jobs-worker'];
const host = new ServiceHost('jobs-worker', env, { budget });
const rpc = await host.servicesRpc(env);
const app = await orExit(() => AppModule.forRoot(env, host, rpc));
if (env.SERVICES_RPC)
  await host.serve(app, [
    SERVICES_RPC,
    FAST_SERVICES_RPC,
    GO_RPC,
    WEBHOOKS_RPC,
    DESTINATIONS_RPC,
    OUTREACH_RPC,
    PROVIDERS_RPC,
    ERASURES_RPC,
    IDENTITY_RPC,
  ]);
else await host.work(app);
host.logger.info({ queues: env.WORKER_QUEUES }, 'queues are worked on');
