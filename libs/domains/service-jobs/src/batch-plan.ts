import { createHash } from 'node:crypto';
import { canonicalJson, newId } from '@quarry/app';
import type { AnySlowService } from '@quarry/service-catalog';

/** A validated input of a batch, before it is matched with existing jobs. */
export interface PlannedLine {
  inputIndex: number;
  input: Record<string, unknown>;
  /** Id of the job that is created when no existing job answers the line. */
  jobId: string;
  /** The most that its search may cost, in thousandths of a credit. */
  price: number;
  /** Lines with equal keys share one search; null when the line must have its own. */
  shareKey: string | null;
  /** Key under which finished answers are reused; null when the service never reuses. */
  reuseKey: string | null;
  /** Reason why the input is not enough for a search; such a line fails at once. */
  thin: string | null;
  wantsDeep: boolean;
}

/**
 * Plans the lines of a batch from inputs that the service's schema has accepted.
 * @param fresh forces a new search for every line: nothing is shared or reused
 */
export function planLines(
  service: AnySlowService,
  inputs: Array<Record<string, unknown>>,
  fresh: boolean,
): PlannedLine[] {
  return inputs.map((input, inputIndex) => {
    const thin = service.tooThin(input);
    const reuseKey = thin ? null : service.reuseKey(input);
    const wantsDeep = input.deep === true;
    return {
      inputIndex,
      input,
      jobId: newId('svcjob'),
      price: service.worstCase(input),
      shareKey: fresh || thin ? null : digestOf(reuseKey ? `${reuseKey}|${wantsDeep}` : canonicalJson(input)),
      reuseKey,
      thin,
      wantsDeep,
    };
  });
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
