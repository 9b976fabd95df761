// The smallest Nest gateway that checks a key, limits it and calls a service over Nest's TCP transport.
// Decorators are called as functions, because the file runs without compilation.
import 'reflect-metadata';
import { Controller, Get, Header, HttpException, Inject, Module, Param, Headers } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ClientsModule, Transport } from '@nestjs/microservices';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { firstValueFrom } from 'rxjs';
import { serveCommands } from '../harness/child-process.mjs';
import { KeyCache, Limiter } from './hand-made-gate.mjs';
import { openReader } from './run-reader.mjs';

await serveCommands(async ({ url, servicePort }) => {
  const keys = new KeyCache(await openReader(url));
  const limiter = new Limiter();

  class RunsController {
    constructor(runs) {
      this.runs = runs;
    }

    async read(authorization, runId) {
      const cached = keys.orgOf(authorization);
      const orgId = typeof cached === 'string' ? cached : await cached;
      if (!orgId) throw new HttpException('unauthorized', 401);
      if (limiter.take(orgId) < 0) throw new HttpException('too many requests', 429);
      return firstValueFrom(this.runs.send('runs.get', { orgId, runId }));
    }
  }
  Inject('RUNS')(RunsController, undefined, 0);
  const read = Object.getOwnPropertyDescriptor(RunsController.prototype, 'read');
  for (const decorate of [Get(':id'), Header('Content-Type', 'application/json')])
    decorate(RunsController.prototype, 'read', read);
  Headers('authorization')(RunsController.prototype, 'read', 0);
  Param('id')(RunsController.prototype, 'read', 1);
  Controller('v1/runs')(RunsController);

  class GatewayModule {}
  const options = { host: '127.0.0.1', port: servicePort };
  Module({
    imports: [ClientsModule.register([{ name: 'RUNS', transport: Transport.TCP, options }])],
    controllers: [RunsController],
  })(GatewayModule);

  const app = await NestFactory.create(GatewayModule, new FastifyAdapter(), { logger: false });
  await app.listen(0, '127.0.0.1');
  return { facts: { port: app.getHttpServer().address().port }, close: () => app.close() };
});
