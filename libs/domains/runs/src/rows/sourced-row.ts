import type { Subject } from '@quarry/plan-compiler';

/** A row before it is written. */
export interface SourcedRow {
  /** Identity of what the row is about, the same at each replay. */
  key: string;
  values: Record<string, unknown>;
  /** Everything that is known of it, by attribute. */
  attributes: Readonly<Record<string, unknown>>;
  subject: Subject | null;
}
