import { Controller, Get, Inject } from '@nestjs/common';
import { AppError } from '@quarry/error-codes';
import { JsonRoute } from '../route-policy.js';
import { READINESS, type ReadinessChecks } from '../tokens.js';

/** A part that does not answer within this time counts as away: probes commonly give up after a few seconds. */
const CHECK_TIMEOUT_MS = 2_000;

/** Probes, without a key. */
@Controller()
export class HealthController {
  constructor(@Inject(READINESS) private readonly checks: ReadinessChecks) {}

  /** Alive: the event loop turns. */
  @Get('healthz')
  @JsonRoute({ access: 'public', query: 'judged' })
  alive(): string {
    return '{"status":"ok"}';
  }

  /** Ready: everything that an answer needs can be reached. */
  @Get('readyz')
  @JsonRoute({ access: 'public', query: 'judged' })
  async ready(): Promise<string> {
    const names = Object.keys(this.checks);
    const results = await Promise.allSettled(names.map((name) => withinTime(this.checks[name]!())));
    const away = names.filter((_, i) => results[i]?.status === 'rejected');
    if (away.length === 0) return '{"status":"ready"}';
    throw new AppError('runs_unavailable', `Not ready: ${away.join(', ')}.`);
  }
}

async function withinTime(check: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The check took too long.')), CHECK_TIMEOUT_MS);
  });
  try {
    await Promise.race([check, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
