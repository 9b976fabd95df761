import { ServiceHost } from '@quarry/composition';
import { TABLES_RPC } from '@quarry/dto';
import { loadEnvOrExit } from '@quarry/app';
import { AppModule } from './app.module.js';
import { TablesEnv } from './tables.env.js';

const env = loadEnvOrExit(TablesEnv);
const host = new ServiceHost('tables', env, { works: false });
await host.serve(AppModule.forRoot(env, host), [TABLES_RPC]);
