import { IndexMigration, type Indexes } from './index-migration.js';

/** Monitors whose budget is spent go on with the next month: they are looked for with those that are active. */
export class FindMonitorsOverBudget1763700000266 extends IndexMigration {
  readonly name = 'FindMonitorsOverBudget1763700000266';
  protected readonly added: Indexes = [
    ['runs.monitors_to_begin', "runs.monitors (next_at) WHERE status = 'active' OR pause_reason = 'budget'"],
  ];
  protected override readonly dropped: Indexes = [
    ['runs.due_monitors', "runs.monitors (next_at) WHERE status = 'active'"],
  ];
}
