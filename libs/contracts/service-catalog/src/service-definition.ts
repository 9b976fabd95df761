import type { QueueName } from '@quarry/dto';
import type { z } from 'zod';

/** Whole thousandths of a credit. */
export type Millicredits = number;

/** Outcome of a search as far as the price depends on it. `deep`: the Deep agent completed its search. */
export interface SearchOutcome {
  found: boolean;
  deep: boolean;
}

/** Service as data. All fields are required, so that a new service cannot omit one. */
interface ServiceBase {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly category: 'contact' | 'research' | 'linkedin' | 'web' | 'company' | 'person' | 'validation';
  readonly input: z.ZodType;
  readonly output: z.ZodType;
  readonly examples: readonly unknown[];
  readonly chargeRule: string;
  /** Output field that fills a column of a run by default, as a path of {@link answerField}. */
  readonly cellField: string;
  /**
   * Words of a prompt that request the result: services that cost credits must be requested in words that the code knows, in
   * any language. Null when a column in the table of attributes has the words.
   */
  readonly promptPattern: RegExp | null;
  /** Inputs that change the price; omitted when all inputs cost the same. */
  readonly pricedBy?: readonly string[];
  /** Price of a hit, of a miss, and the highest price of any input. */
  readonly price: { unit: 'call' | 'item'; hit: Millicredits; miss: Millicredits; max: Millicredits };
}

/** Service that responds within the request. */
export interface FastService extends ServiceBase {
  readonly mode: 'fast';
  /** Returns the maximum price of a valid input, which its call holds. */
  worstCase(input: Readonly<Record<string, unknown>>): Millicredits;
  /** Returns the price of a call that found this number of items. */
  charge(items: number): Millicredits;
}

/** Service that runs as background jobs, in batches. `Input` is the type that its schema accepts. */
export interface SlowService<Input = never> extends ServiceBase {
  readonly mode: 'slow';
  readonly queue: QueueName;
  /** Seconds for which a completed result about the same subject is reused free of charge; 0 for never. */
  readonly reuseSeconds: number;
  /** Returns the maximum price of this input, which its job holds. */
  worstCase(input: Input): Millicredits;
  /** Returns the price of this input after a search with this outcome. */
  charge(input: Input, outcome: SearchOutcome): Millicredits;
  /** Returns the reason why an input is not sufficient for a search; null when it is. */
  tooThin(input: Input): string | null;
  /** Returns the key of the subject for reuse; null when results are not reused. */
  reuseKey(input: Input): string | null;
  /** Time limit of one search in milliseconds. */
  readonly deadlineMs: number;
}
