import type { ColumnJson } from '@quarry/dto';
import type { RunPlan } from './run-plan.js';

/** A table of the organisation that a prompt may name. */
export interface KnownTable {
  readonly id: string;
  readonly name: string;
}

/** What a table holds, column by column. */
export interface TableProfile extends KnownTable {
  readonly columns: ReadonlyArray<Pick<ColumnJson, 'key' | 'name' | 'kind'>>;
  readonly rowCount: number;
  /** By column key. */
  readonly values: Readonly<Record<string, ColumnProfile>>;
}

export interface ColumnProfile {
  /** Distinct values as text, all of them or a sample. */
  readonly values: readonly string[];
  /** True when `values` holds every distinct value. */
  readonly isComplete: boolean;
}

/** What a planner may know beyond the prompt. */
export interface PlannerKnowledge {
  /** One for each name. */
  readonly tables: readonly KnownTable[];
  /** Asked only for a table that the prompt names. */
  readonly tableProfile: (tableId: string) => Promise<TableProfile>;
  /** The last plan of the conversation, for prompts such as "only those in Berlin". */
  readonly previousPlan: RunPlan | null;
  /** Output contract of the run as it was sent, or null. Source: contract decisions, section 3. */
  readonly output: Readonly<Record<string, unknown>> | null;
  /** The year that "the last five years" counts back from. */
  readonly referenceYear: number;
}

/** Turns a prompt into a plan. A prompt that it does not understand is named in the plan, not thrown. */
export interface Planner {
  plan(prompt: string, knowledge: PlannerKnowledge): Promise<RunPlan>;
}
