import { IndexMigration } from './index-migration.js';

/** Enrichments by their table, for what a column has cost. */
export class AddEnrichmentsOfTable1763700000268 extends IndexMigration {
  readonly name = 'AddEnrichmentsOfTable1763700000268';

  protected readonly added = [
    ['runs.enrichments_of_table', 'runs.enrichments (org_id, mode, table_id, created_at DESC, id DESC)'],
  ] as const;
}
