import { ServiceHost } from '@quarry/composition';
import { MONITORS_RPC, RUNS_RPC } from '@quarry/dto';
import { loadEnvOrExit, orExit } from '@quarry/app';
import { AppModule } from './app.module.js';
import { RunsAgentEnv } from './runs-agent.env.js';

const env = loadEnvOrExit(RunsAgentEnv);
const host = new ServiceHost('runs-agent', env, { works: env.AGENT });
const rpc = await host.servicesRpc(env);
await host.serve(await orExit(() => AppModule.forRoot(env, host, rpc)), [RUNS_RPC, MONITORS_RPC]);
