import type { RunPlan } from '@quarry/plan';
import type { MonitorMemory } from '../ports/monitor-items.port.js';
import type { SourcedRow } from '../ports/sourced-row.js';

/** Leaves out rows that a monitor knows, except those whose watched values have changed. */
export class KnownRows {
  private readonly compared = new Set<string>();
  private readonly updatedKeys = new Set<string>();

  constructor(
    private readonly memory: MonitorMemory,
    private readonly plan: RunPlan,
  ) {}

  isUpdated({ key }: SourcedRow): boolean {
    return this.updatedKeys.has(key);
  }

  /** Returns the positions of the rows to leave out. */
  readonly findPlaces = async (rows: readonly SourcedRow[]): Promise<Set<number>> => {
    const seen = rows.map((row) => this.memory.seenOf(this.plan, row));
    const known = await this.memory.findKnown(seen);
    const isLeftOut = (identity: string, key: string): boolean => {
      const found = known.get(identity);
      if (!found) return false;
      // Of rows with the same identity only the first is compared: otherwise they would be reported as changes of each other for
      // ever.
      const isFirst = !this.compared.has(identity);
      this.compared.add(identity);
      if (isFirst && found.hasChanged) this.updatedKeys.add(key);
      return !this.updatedKeys.has(key);
    };
    return new Set(seen.flatMap(({ identity }, i) => (isLeftOut(identity, rows[i]!.key) ? i : [])));
  };
}
