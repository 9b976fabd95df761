import { IndexMigration, type Indexes } from './index-migration.js';

/** Without it, the list of all tables of an organisation would sort all of them. */
export class AddTablesNewestFirst1763700000230 extends IndexMigration {
  readonly name = 'AddTablesNewestFirst1763700000230';
  protected readonly added: Indexes = [
    ['tables.tables_newest_first', 'tables.tables (org_id, mode, created_at DESC, id DESC)'],
  ];
}
