import { createHash } from 'node:crypto';
import { WorkHandedBackError, type CancellationPoll } from '@quarry/durable-work';
import { canonicalJson } from '@quarry/app';
import type { DirectCall, DirectCallsPort, DirectOutcome } from '../ports/direct-calls.port.js';
import type { Enriching } from './column-enricher.js';

/** Milliseconds until an unanswered call is sent again. */
const AGAIN_MS = 500;
/** Longer than the key of a call is held whose process was killed (a minute). */
const CALL_TIMEOUT_MS = 90_000;

/** @returns the same text for equal calls of a fast service: they are made once in a run */
export function callDigest(service: string, input: Record<string, unknown>): string {
  return createHash('sha256')
    .update(canonicalJson([service, input]))
    .digest('base64url');
}

/**
 * Calls fast services for one run. Its Idempotency-Key follows from the run, the service and the input alone: whoever asks the
 * same again, after a crash or for another row, is given the same answer, and nothing is charged twice.
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
   * @param rowIndex place of the row that asks, from 0
   * @returns its end, never `later`. @throws WorkHandedBackError once there is no patience left, and what the watch throws
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
      // A fault of one input would come again for ever.
      if (performance.now() > until && outcome.error.code === 'internal_error')
        return { kind: 'refused', error: outcome.error };
      // Nobody knows whether it was charged: the next holder of the run sends it again, under the same key.
      if (performance.now() > until)
        throw new WorkHandedBackError('The services have not decided a call in time.');
      await this.watch.pause(AGAIN_MS);
    }
  }
}
