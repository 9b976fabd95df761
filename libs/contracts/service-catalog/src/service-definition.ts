import type { QueueName } from '@quarry/dto';
import type { z } from 'zod';

/** Whole thousandths of a credit. */
export type Millicredits = number;

/** End of a search, as far as the price cares. `deep`: the Deep agent finished its search. */
export interface SearchOutcome {
  found: boolean;
  deep: boolean;
}

/** An item for sale, as data. Every field is required: a new service cannot forget one. */
interface ServiceBase {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly category: 'contact' | 'research' | 'linkedin' | 'web' | 'company' | 'person' | 'validation';
  readonly input: z.ZodType;
  readonly output: z.ZodType;
  readonly examples: readonly unknown[];
  readonly chargeRule: string;
  /** Field of the answer that fills a column of a run where nobody names another, as a path of {@link answerField}. */
  readonly cellField: string;
  /**
   * Words of a prompt that ask for what it finds: what costs credits must be said in words that code knows, in any language. Null
   * where a column of the table of attributes has the words.
   */
  readonly promptPattern: RegExp | null;
  /** Inputs that change the price; none where all inputs cost the same. */
  readonly pricedBy?: readonly string[];
  /** Price of a find, of a negative answer, and the highest that any input can cost. */
  readonly price: { unit: 'call' | 'item'; hit: Millicredits; miss: Millicredits; max: Millicredits };
}

/** Answers within the request. */
export interface FastService extends ServiceBase {
  readonly mode: 'fast';
  /** The most that an accepted input can cost: what its call holds. */
  worstCase(input: Readonly<Record<string, unknown>>): Millicredits;
  /** Returns the price of a call that found so many items. */
  charge(items: number): Millicredits;
}

/** Runs as background jobs, in lists. `Input` is what its schema accepts. */
export interface SlowService<Input = never> extends ServiceBase {
  readonly mode: 'slow';
  readonly queue: QueueName;
  /** Seconds for which a completed answer about the same subject is given again for nothing; 0 never. */
  readonly reuseSeconds: number;
  /** The most that this input can cost: what a line holds. */
  worstCase(input: Input): Millicredits;
  /** Returns the price of this input after a search that ended so. */
  charge(input: Input, outcome: SearchOutcome): Millicredits;
  /** Says why an input names too little to search; null when it names enough. */
  tooThin(input: Input): string | null;
  /** Key of the subject for reuse; null when answers are not reused. */
  reuseKey(input: Input): string | null;
  /** Milliseconds that one search may take. */
  readonly deadlineMs: number;
}
