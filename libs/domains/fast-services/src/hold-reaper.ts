import { Inject, Injectable } from '@nestjs/common';
import { CreditLedger } from '@quarry/credit-ledger';
import { LOGGER, PeriodicTask, systemCtx, type Logger } from '@quarry/app';

/** Interval of the rounds: holds expire minutes after a crash, so half a minute more makes no difference. */
const INTERVAL_MS = 30_000;

/** Releases the credits of direct calls whose process died before it could charge or release them. */
@Injectable()
export class HoldReaper extends PeriodicTask {
  constructor(
    private readonly ledger: CreditLedger,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super(() => this.reapHolds(), {
      intervalMs: INTERVAL_MS,
      onError: (error) => logger.warn({ err: error }, 'expired holds could not be freed'),
    });
  }

  /** Runs one round. @throws the database's error */
  async reapHolds(): Promise<void> {
    const holds = await this.ledger.voidExpired(systemCtx('hold-reaper'));
    if (holds.length > 0) this.logger.warn({ holds }, 'direct calls were lost; their credits are free again');
  }
}
