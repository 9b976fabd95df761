// The smallest one-process program: key, rate limit and row in one Fastify route.
import Fastify from 'fastify';
import { serveCommands } from '../harness/child-process.mjs';
import { KeyCache, Limiter } from './hand-made-gate.mjs';
import { openReader, readRun } from './run-reader.mjs';

await serveCommands(async ({ url, appUrl }) => {
  const reader = await openReader(url);
  const keys = new KeyCache(reader);
  const limiter = new Limiter();
  const app = Fastify();
  app.get('/v1/runs/:id', async (request, reply) => {
    const cached = keys.orgOf(request.headers.authorization);
    const orgId = typeof cached === 'string' ? cached : await cached;
    if (!orgId) return reply.code(401).send();
    if (limiter.take(orgId) < 0) return reply.code(429).send();
    reply.type('application/json');
    return readRun(reader, orgId, request.params.id, appUrl);
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return { facts: { port: app.server.address().port }, close: () => app.close() };
});
