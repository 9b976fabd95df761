import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { CreditLedger } from '@quarry/credit-ledger';
import { LOGGER, PeriodicTask, systemCtx, type Logger } from '@quarry/app';

/** A hold expires minutes after its call has died, so that freeing it half a minute later makes no difference. */
const INTERVAL_MS = 30_000;

/** Frees the credits of direct calls whose process died before it could charge or free them. */
@Injectable()
export class HoldReaper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly task = new PeriodicTask(() => this.reapHolds(), {
    intervalMs: INTERVAL_MS,
    onError: (error) => this.logger.warn({ err: error }, 'expired holds could not be freed'),
  });

  constructor(
    private readonly ledger: CreditLedger,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.task.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  /** One round. @throws what the database throws */
  async reapHolds(): Promise<void> {
    const holds = await this.ledger.voidExpired(systemCtx('hold-reaper'));
    if (holds.length > 0) this.logger.warn({ holds }, 'direct calls were lost; their credits are free again');
  }
}
