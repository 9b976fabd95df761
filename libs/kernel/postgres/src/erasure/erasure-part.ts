import type { Ctx } from '@quarry/app';
import type { Database } from '../database/database.js';
import type { Statement } from '../database/statement.js';
import type { SoughtPerson } from './person-search.js';

/**
 * A statement that gives a row when the tenant in `$1` has work that has not ended and was created at the time in `$2` at the latest;
 * work of any time where `$2` is null.
 */
export type OpenWork = Statement<
  readonly [tenant: ReadonlyArray<string | null> | null, createdUntil: Date | string | null]
>;

/** The part of an erasure that a library which keeps people registers: it erases a person from its tables. */
export interface ErasurePart<Counts extends string> {
  /**
   * Erases a person from the tables of the context's organisation and mode. May be repeated: what is erased is not found again.
   * @returns how much of each kind was erased
   */
  erase(database: Database, ctx: Ctx, person: SoughtPerson): Promise<Record<Counts, number>>;
  /** Work that may hold the person in memory and write them after the erasure: everything is gone through again when it has ended. */
  readonly openWork: readonly OpenWork[];
}
