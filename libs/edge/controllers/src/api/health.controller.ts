import { Health } from '@quarry/dto';
import { Controller, Get, Inject } from '@nestjs/common';
import { withDeadline } from '@quarry/resilience';
import { AppError } from '@quarry/error-codes';
import { RpcTransport } from '@quarry/rpc';
import { Documented, JsonRoute } from '@quarry/http';
import { IS_STUCK, READINESS, type ReadinessChecks } from '../tokens.js';

/** Milliseconds after which a part counts as unavailable: probes usually give up after a few seconds. */
const CHECK_TIMEOUT_MS = 2_000;

/** Serves probes, without a key. */
@Controller()
export class HealthController {
  constructor(
    @Inject(READINESS) private readonly checks: ReadinessChecks,
    @Inject(IS_STUCK) private readonly isStuck: () => boolean,
    private readonly rpc: RpcTransport,
  ) {}

  /** Alive: the event loop runs, and nothing is stuck for good. */
  @Documented({
    isInternal: true,
    summary: 'Tells whether the process is alive.',
    answers: { 200: { description: 'It does.', body: Health } },
  })
  @Get('healthz')
  @JsonRoute({ access: 'public', query: 'validated' })
  alive(): string {
    if (this.isStuck()) throw new AppError('runs_unavailable', 'The process must be restarted.');
    return '{"status":"ok"}';
  }

  /**
   * Ready: it can check keys and reach at least one service. A missing part is named, but does not make a gateway unready:
   * balancers would remove all gateways, and with them the parts that still answer.
   */
  @Documented({
    isInternal: true,
    summary: 'Tells whether the process can serve, and which dependencies cannot be reached.',
    answers: {
      200: { description: 'Ready. Dependencies that cannot be reached are in `missing`.', body: Health },
    },
  })
  @Get('readyz')
  @JsonRoute({ access: 'public', query: 'validated' })
  async ready(): Promise<string> {
    const names = Object.keys(this.checks);
    const [results, { reached, missing }] = await Promise.all([
      Promise.allSettled(names.map((name) => withDeadline(this.checks[name]!(), { ms: CHECK_TIMEOUT_MS }))),
      this.rpc.reach(),
    ]);
    const away = names.filter((_, i) => results[i]?.status === 'rejected');
    if (reached.length === 0) away.push(...missing);
    if (away.length === 0)
      return JSON.stringify({ status: 'ready', ...(missing.length > 0 ? { missing } : {}) });
    throw new AppError('runs_unavailable', `Not ready: ${away.join(', ')}.`);
  }
}
