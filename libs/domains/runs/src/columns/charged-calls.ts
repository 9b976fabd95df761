import { canonicalJson } from '@quarry/app';
import { priceOf, type ServiceCall, rowInput } from '@quarry/plan-compiler';
import { ROWS_PER_STEP } from './column-enricher.js';
import type { RowToEnrich } from './enrich-request.js';
import { callDigest } from './direct-caller.js';

/**
 * Counts the most that a call can cost for rows that read no column of another call. Rows without an input make no call, and
 * equal inputs make one: across the run for a fast service, within a batch for a slow one, since a later batch pays again when
 * its answer is not reused.
 */
export class ChargedCalls {
  private readonly price: number;
  private readonly known = new Set<string>();
  private rowsSeen = 0;
  private lookedUp = 0;
  private charged = 0;

  /** @param isFresh lines of slow services are never shared */
  constructor(
    private readonly call: ServiceCall,
    private readonly isFresh: boolean,
  ) {
    this.price = priceOf(call);
  }

  /** The number of rows that have an input, including those answered by the call of another row. */
  get rowsLookedUp(): number {
    return this.lookedUp;
  }

  /** Thousandths of a credit. */
  get creditsMax(): number {
    return this.charged;
  }

  /**
   * Counts the next row.
   * @param creditsMax the most that all rows may cost
   * @returns false when the row is not counted because it would exceed that
   */
  addRow({ evidence, subject }: Pick<RowToEnrich, 'evidence' | 'subject'>, creditsMax: number): boolean {
    const { input } = rowInput(this.call, (key) => evidence[key] ?? null, subject);
    const key = input === null ? null : this.keyOf(input);
    const price = key === null || this.known.has(key) ? 0 : this.price;
    if (this.charged + price > creditsMax) return false;
    this.rowsSeen += 1;
    this.charged += price;
    if (key === null) return true;
    this.lookedUp += 1;
    this.known.add(key);
    return true;
  }

  private keyOf(input: Record<string, unknown>): string {
    const { service } = this.call;
    if (service.mode === 'fast') return callDigest(service.name, input);
    if (this.isFresh) return `${this.rowsSeen}`;
    const subject = service.reuseKey(input);
    const list = Math.floor(this.rowsSeen / ROWS_PER_STEP);
    return `${list} ${subject === null ? canonicalJson(input) : `${subject}|${input.deep === true}`}`;
  }
}
