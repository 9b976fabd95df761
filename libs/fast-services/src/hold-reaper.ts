import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { CreditLedger } from '@quarry/credit-ledger';
import { LOGGER, systemCtx, type Logger } from '@quarry/platform';

/** An expired hold has been of no use for minutes; half a minute more hurts nobody. */
const INTERVAL_MS = 30_000;

/** Frees the credits of direct calls whose process died before it could charge or free them. */
@Injectable()
export class HoldReaper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | null = null;
  private round: Promise<void> = Promise.resolve();

  constructor(
    private readonly ledger: CreditLedger,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.round = this.reap();
    this.timer = setInterval(() => {
      this.round = this.round.then(() => this.reap());
    }, INTERVAL_MS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.round;
  }

  /** One round. Never throws. */
  async reap(): Promise<void> {
    try {
      const holds = await this.ledger.voidExpired(systemCtx('hold-reaper'));
      if (holds.length > 0)
        this.logger.warn({ holds }, 'direct calls were lost; their credits are free again');
    } catch (error) {
      this.logger.warn({ err: error }, 'expired holds could not be freed');
    }
  }
}
