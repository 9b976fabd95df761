import { createHash } from 'node:crypto';
import { WorkHandedBackError, type CancellationPoll } from '@quarry/durable-work';
import { canonicalJson } from '@quarry/app';
import type { DirectCall, DirectCallsPort, DirectOutcome } from '../ports/direct-calls.port.js';
import type { Enriching } from './enrich-request.js';

/** Milliseconds until an unanswered call is sent again. */
const AGAIN_MS = 500;
/** Longer than the minute for which the key of a call stays locked when its process is killed. */
const CALL_TIMEOUT_MS = 90_000;

/** @returns a digest that is the same for equal calls, which a run makes once */
export function callDigest(service: string, input: Record<string, unknown>): string {
  return createHash('sha256')
    .update(canonicalJson([service, input]))
    .digest('base64url');
}

/**
 * Calls fast services for one run. The Idempotency-Key derives from the run, the service and the input alone, so an equal call,
 * after a crash or for another row, gets the same answer and is charged once.
 */
export class DirectCaller {
  private readonly inWork = new Map<string, Promise<DirectOutcome>>();

  constructor(
    private readonly calls: DirectCallsPort,
    private readonly run: Enriching,
    private readonly watch: CancellationPoll,
    private readonly scope: string = run.id,
  ) {}

  /**
   * @param rowIndex position of the row in its table, from 0
   * @returns the outcome, never `later`
   * @throws WorkHandedBackError when the call is not answered in time, and what the watch throws
   */
  callService(service: string, input: Record<string, unknown>, rowIndex: number): Promise<DirectOutcome> {
    const key = `${this.scope}.${callDigest(service, input)}`;
    const known = this.inWork.get(key);
    if (known) return known;
    const made = this.answerOf({ service, input, key, runId: this.run.id, rowIndex }).finally(() =>
      this.inWork.delete(key),
    );
    this.inWork.set(key, made);
    return made;
  }

  private async answerOf(call: DirectCall): Promise<DirectOutcome> {
    const until = performance.now() + CALL_TIMEOUT_MS;
    for (;;) {
      await this.watch.check();
      const outcome = await this.calls.callService(this.run.ctx, call);
      if (outcome.kind !== 'later') return outcome;
      // An input that always causes an error would otherwise be sent again for ever.
      if (performance.now() > until && outcome.error.code === 'internal_error')
        return { kind: 'refused', error: outcome.error };
      // Whether it was charged is unknown: the next agent sends the call again under the same key.
      if (performance.now() > until) throw new WorkHandedBackError('The service did not answer in time.');
      await this.watch.pause(AGAIN_MS);
    }
  }
}
