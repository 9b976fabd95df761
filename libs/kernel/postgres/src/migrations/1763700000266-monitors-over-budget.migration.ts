import { IndexMigration, type Indexes } from './index-migration.js';

/** Monitors whose budget is spent resume in the next month, so they are searched together with the active ones. */
export class FindMonitorsOverBudget1763700000266 extends IndexMigration {
  readonly name = 'FindMonitorsOverBudget1763700000266';
  protected readonly added: Indexes = [
    ['runs.monitors_to_begin', "runs.monitors (next_at) WHERE status = 'active' OR pause_reason = 'budget'"],
  ];
  protected override readonly dropped: Indexes = [
    ['runs.due_monitors', "runs.monitors (next_at) WHERE status = 'active'"],
  ];
}
