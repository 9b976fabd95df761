import type { ContractTable, PlanIntent, PreviousPlan, TableProfile } from '@quarry/plan';

/** An intent that a model wrote, and what the checks compare it with. */
export interface CheckedIntent {
  readonly intent: PlanIntent;
  readonly prompt: string;
  /** Reading of the rules of the same prompt; compared only where they read its language. */
  readonly rules: PlanIntent;
  /** True where the rules read the prompt's language. */
  readonly isEnglish: boolean;
  readonly output: ContractTable | null;
  readonly previous: PreviousPlan | null;
  /** Profile of the own table that the intent reads. */
  readonly table: TableProfile | null;
  /** True where rows can be looked for on the web. */
  readonly canSource: boolean;
  /** The year that "the last five years" counts back from. */
  readonly referenceYear: number;
}
