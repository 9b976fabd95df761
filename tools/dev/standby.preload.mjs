// Loaded before the product by `npm run dev`: a standby process has loaded the packages that take longest, and waits for its
// turn before it reads any file of the product.
import { once } from 'node:events';

/** Packages that take two thirds of the loading time. A missing one is left for the product to report. */
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

// However the command ends, its IPC channel closes, and the product stops as on SIGTERM.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
for (const name of PACKAGES) await import(name).catch(() => undefined);
await once(process, 'message');
// The channel alone must not keep the process alive when everything else is closed.
process.channel?.unref();
