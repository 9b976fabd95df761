import type { Subject } from '@quarry/plan-compiler';

/** A row before it is written. */
export interface SourcedRow {
  /** Identity of the row's subject, the same at each replay. */
  key: string;
  values: Record<string, unknown>;
  /** All known values, by attribute. */
  attributes: Readonly<Record<string, unknown>>;
  subject: Subject | null;
}
