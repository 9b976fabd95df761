import { IndexMigration, type Indexes } from './index-migration.js';

/** Index for listing the reported items of a monitor by their last change. */
export class ListItemsByChange1763700000264 extends IndexMigration {
  readonly name = 'ListItemsByChange1763700000264';
  protected readonly added: Indexes = [
    [
      'runs.monitor_items_by_change',
      'runs.monitor_items (org_id, mode, monitor_id, (CASE WHEN updated_at IS NULL THEN first_seen ELSE updated_at END), identity) WHERE is_reported',
    ],
  ];
  protected override readonly dropped: Indexes = [
    [
      'runs.monitor_items_by_time',
      'runs.monitor_items (org_id, mode, monitor_id, first_seen, identity) WHERE is_reported',
    ],
  ];
}
