// The product's runs side behind TCP: composition and transport as they are, without agents.
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { runsPart, tablesPart } from '@quarry/composition';
import { QUEUES } from '@quarry/dto';
import { Database, QueueBus, TcpRpcServer } from '@quarry/platform';
import { freePort } from '@quarry/local-postgres';
import { serveCommands } from '../harness/child-process.mjs';

await serveCommands(async ({ url, appUrl, rpcSecret }) => {
  const database = await Database.open({ url, applicationName: 'bench-runs' });
  const queues = QueueBus.open(QUEUES, { url });
  const tables = tablesPart({ database, appUrl, cursorSecret: 'bench' });
  const { handlers } = runsPart({ database, queues, tables, appUrl });

  class ServiceModule {}
  Module({})(ServiceModule);
  const port = await freePort();
  const onSurprise = (error) => console.error(error);
  const security = { secrets: [rpcSecret], tls: null };
  const strategy = new TcpRpcServer({ host: '127.0.0.1', port, sets: [handlers], security, onSurprise });
  const app = await NestFactory.createMicroservice(ServiceModule, { strategy, logger: false });
  await app.listen();
  const close = async () => {
    await app.close();
    await queues.close();
    await database.close();
  };
  return { facts: { port }, close };
});
