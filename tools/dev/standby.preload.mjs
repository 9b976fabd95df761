// Loaded before the product by `npm run dev`: a process that stands by has loaded the packages that take longest, and
// waits for its turn before it reads any file of the product.
import { once } from 'node:events';

/** Two thirds of what a start loads. One that is not there is left to the product to miss. */
const PACKAGES = [
  '@nestjs/core',
  '@nestjs/platform-fastify',
  '@nestjs/microservices',
  'class-validator',
  'class-transformer',
  'typeorm',
  'bullmq',
  'tldts',
  'undici',
  'libphonenumber-js',
  '@modelcontextprotocol/server',
  '@opentelemetry/sdk-trace',
];

// However the command ends, the channel to it closes, and the product stops as at a SIGTERM.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
for (const name of PACKAGES) await import(name).catch(() => undefined);
await once(process, 'message');
// The channel alone must not keep a product alive that has closed everything else.
process.channel?.unref();
