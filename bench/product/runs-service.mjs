// The product's runs side behind TCP: its real modules and transport, without agents.
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TablePortsModule } from '@quarry/composition';
import { ModelsModule, PlannerModule } from '@quarry/language-models';
import { RulesPlanner } from '@quarry/rules-planner';
import { MONITORS_RPC, QUEUES, RUNS_RPC } from '@quarry/dto';
import { createLogger, Lifecycle } from '@quarry/app';
import { PlatformModule } from '@quarry/platform';
import { Database } from '@quarry/postgres';
import { QueueBus } from '@quarry/queue';
import { TcpRpcServer } from '@quarry/rpc';
import { freePort } from '@quarry/local-postgres';
import { ProvidersModule } from '@quarry/providers';
import { EnrichmentsModule } from '@quarry/enrichments';
import { MonitorsModule } from '@quarry/monitors';
import { RunsModule } from '@quarry/runs';
import { serveCommands } from '../harness/child-process.mjs';

await serveCommands(async ({ url, appUrl, rpcSecret }) => {
  class ServiceModule {}
  Module({
    imports: [
      PlatformModule.forRoot({
        life: new Lifecycle(() => undefined),
        logger: createLogger('bench', 'error'),
        database: () => Database.open({ url, applicationName: 'bench-runs' }),
        queues: () => QueueBus.open(QUEUES, { url }),
        cursorSecret: 'bench',
      }),
      ProvidersModule.forRoot({ sandbox: true }),
      TablePortsModule,
      ModelsModule.forRoot(null),
      PlannerModule.forRoot('rules', new RulesPlanner()),
      RunsModule.forRoot({ appUrl }),
      MonitorsModule,
      EnrichmentsModule,
    ],
  })(ServiceModule);
  const port = await freePort();
  const strategy = new TcpRpcServer({
    host: '127.0.0.1',
    port,
    apis: [RUNS_RPC, MONITORS_RPC],
    security: { secrets: [rpcSecret], tls: null },
    onUnexpectedError: (error) => console.error(error),
  });
  const app = await NestFactory.createMicroservice(ServiceModule, { strategy, logger: ['error', 'fatal'] });
  await app.listen();
  return { facts: { port }, close: () => app.close() };
});
