import { createHash } from 'node:crypto';
import { canonicalJson, newId } from '@quarry/app';
import type { AnySlowService } from '@quarry/service-catalog';

/** One input of a list, validated but not yet matched with what exists. */
export interface PlannedLine {
  inputIndex: number;
  input: Record<string, unknown>;
  /** Id of the job that this line makes when it finds nobody to share with. */
  jobId: string;
  /** Thousandths of a credit that its search may cost at most. */
  price: number;
  /** Equal keys mean the same search; null when the line must have its own. */
  shareKey: string | null;
  /** Subject for the reuse of finished answers; null when the service never reuses. */
  reuseKey: string | null;
  /** Why there is too little to search; such a line fails at once. */
  thin: string | null;
  wantsDeep: boolean;
}

/**
 * Judges the inputs of a list, all accepted by the service's schema before.
 * @param fresh forces a new search for every line: nothing is shared, nothing reused
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
