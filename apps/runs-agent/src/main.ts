import { ServiceHost } from '@quarry/composition';
import { RUNS_RPC } from '@quarry/dto';
import { loadEnvOrExit } from '@quarry/platform';
import { AppModule } from './app.module.js';
import { RunsAgentEnv } from './runs-agent.env.js';

const env = loadEnvOrExit(RunsAgentEnv);
const host = new ServiceHost('runs-agent', env);
const services = env.SERVICES_RPC_URL;
const rpc = services === undefined ? null : await host.callsTo({ 'services.': services });
await host.serve(AppModule.forRoot(env, host, rpc), [RUNS_RPC]);
