// The smallest Nest service behind it: one row by key, as JSON text created by PostgreSQL.
import 'reflect-metadata';
import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { MessagePattern, Payload, Transport } from '@nestjs/microservices';
import { freePort } from '@quarry/local-postgres';
import { serveCommands } from '../harness/child-process.mjs';
import { openReader, readRun } from './run-reader.mjs';

await serveCommands(async ({ url, appUrl }) => {
  const reader = await openReader(url);

  class RunsController {
    get({ orgId, runId }) {
      return readRun(reader, orgId, runId, appUrl);
    }
  }
  const get = Object.getOwnPropertyDescriptor(RunsController.prototype, 'get');
  MessagePattern('runs.get')(RunsController.prototype, 'get', get);
  Payload()(RunsController.prototype, 'get', 0);
  Controller()(RunsController);

  class ServiceModule {}
  Module({ controllers: [RunsController] })(ServiceModule);
  const port = await freePort();
  const options = { host: '127.0.0.1', port };
  const app = await NestFactory.createMicroservice(ServiceModule, {
    transport: Transport.TCP,
    options,
    logger: false,
  });
  await app.listen();
  return { facts: { port }, close: () => app.close() };
});
