import type { ContractTable, PlanIntent, PreviousPlan, TableProfile } from '@quarry/plan';

/** Intent from a model, and the data that the checks compare it with. */
export interface CheckedIntent {
  readonly intent: PlanIntent;
  readonly prompt: string;
  /** Intent that the rules read from the same prompt; compared only if they support its language. */
  readonly rules: PlanIntent;
  /** True when the rules support the prompt's language. */
  readonly isEnglish: boolean;
  readonly output: ContractTable | null;
  readonly previous: PreviousPlan | null;
  /** Profile of the organisation's table that the intent reads. */
  readonly table: TableProfile | null;
  /** True when rows can be sourced from the web. */
  readonly canSource: boolean;
  /** Year from which "the last five years" counts back. */
  readonly referenceYear: number;
}
