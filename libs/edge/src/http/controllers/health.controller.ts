import { Health } from '@quarry/dto';
import { Controller, Get, Inject } from '@nestjs/common';
import { AppError } from '@quarry/error-codes';
import { Documented } from '../../openapi/documented.decorator.js';
import { JsonRoute } from '../route-policy.js';
import { IS_STUCK, READINESS, type ReadinessChecks } from '../tokens.js';

/** A part that does not answer within this time counts as away: probes commonly give up after a few seconds. */
const CHECK_TIMEOUT_MS = 2_000;

/** Probes, without a key. */
@Controller()
export class HealthController {
  constructor(
    @Inject(READINESS) private readonly checks: ReadinessChecks,
    @Inject(IS_STUCK) private readonly isStuck: () => boolean,
  ) {}

  /** Alive: the event loop turns, and nothing waits for what will never come. */
  @Documented({
    id: 'alive',
    summary: 'Says whether the process lives.',
    answers: { 200: { says: 'It does.', body: Health } },
  })
  @Get('healthz')
  @JsonRoute({ access: 'public', query: 'judged' })
  alive(): string {
    if (this.isStuck()) throw new AppError('runs_unavailable', 'The process must be started again.');
    return '{"status":"ok"}';
  }

  /** Ready: everything that an answer needs can be reached. */
  @Documented({
    id: 'ready',
    summary: 'Says whether the process can serve.',
    answers: { 200: { says: 'It can.', body: Health } },
  })
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
