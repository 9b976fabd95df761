import type { Ctx } from '@quarry/app';
import type { Database } from '../database/database.js';
import type { Statement } from '../database/statement.js';
import type { SoughtPerson } from './person-search.js';

/**
 * A statement that returns a row if the tenant in `$1` has open work that was created no later than `$2`, or at any time
 * if `$2` is null.
 */
export type OpenWork = Statement<
  readonly [tenant: ReadonlyArray<string | null> | null, createdUntil: Date | string | null]
>;

/** The part of an erasure that a library with personal data registers: it erases a person from its tables. */
export interface ErasurePart<Counts extends string> {
  /**
   * Erases a person from the tables of the context's organisation and mode. Idempotent.
   * @returns the number of erased items of each kind
   */
  erase(database: Database, ctx: Ctx, person: SoughtPerson): Promise<Record<Counts, number>>;
  /** Work that may hold the person in memory and write them after the erasure. The erasure is repeated when it has ended. */
  readonly openWork: readonly OpenWork[];
}
