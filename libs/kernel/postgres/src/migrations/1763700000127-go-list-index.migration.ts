import { IndexMigration, type Indexes } from './index-migration.js';

/** Without it, the list of Go runs with a rare status would read all runs of its organisation. */
export class AddGoListIndex1763700000127 extends IndexMigration {
  readonly name = 'AddGoListIndex1763700000127';
  protected readonly added: Indexes = [
    ['go.go_runs_by_status', 'go.runs (org_id, mode, status, created_at DESC, id DESC)'],
  ];
}
