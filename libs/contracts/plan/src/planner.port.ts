import type { ColumnJson } from '@quarry/dto';
import type { PlanIntent } from './schema/plan-intent.schema.js';
import type { ContractTable } from './output/contract-table.js';
import type { RunPlan } from './run-plan.js';

/** Table of the organisation that a prompt may name. */
export interface KnownTable {
  readonly id: string;
  readonly name: string;
}

/** Content of a table, column by column. */
export interface TableProfile extends KnownTable {
  readonly columns: ReadonlyArray<Pick<ColumnJson, 'key' | 'name' | 'kind'>>;
  readonly rowCount: number;
  /** Profiles by column key. */
  readonly values: Readonly<Record<string, ColumnProfile>>;
}

export interface ColumnProfile {
  /** Distinct values as text, all of them or a sample. */
  readonly values: readonly string[];
  /** True when `values` contains all distinct values. */
  readonly isComplete: boolean;
}

/** Latest request of the conversation, and its plan. */
export interface PreviousPlan {
  readonly intent: PlanIntent;
  readonly plan: RunPlan;
}

/** Prompt, and further data that a planner may use. */
export interface PlanAsk {
  readonly prompt: string;
  /** Tables of the output contract; if empty, the planner creates one table of its own choice. */
  readonly output: readonly ContractTable[];
  /** Previous plan, for prompts such as "only those in Berlin". */
  readonly previous: PreviousPlan | null;
  /** Tables that the prompt may name; one per name. */
  readonly tables: readonly KnownTable[];
  /** Reads the profile of a table. Called only for one of `tables` that the prompt names, or that the previous plan read. */
  readonly tableProfile: (tableId: string) => Promise<TableProfile>;
  /** True when rows can be sourced from the web; false if omitted. */
  readonly canSource?: boolean;
  /** Year from which "the last five years" counts back. */
  readonly referenceYear: number;
}

/** Caller on whose behalf a planner works; a context of the platform fits. */
export interface PlannerCtx {
  readonly orgId: string;
  readonly mode: 'live' | 'test';
  readonly requestId: string;
}

/** Limits of a planner's work. */
export interface PlannerLimits {
  /** Aborted when the caller no longer waits for the result. */
  readonly signal: AbortSignal;
  /** Deadline in milliseconds since 1970. */
  readonly deadlineMs: number;
}

/** Error for a planner that exceeds its deadline. */
export class PlanningTimeoutError extends Error {
  override readonly name = 'PlanningTimeoutError';
}

/**
 * Error for a prompt that a planner cannot plan. Its message is a sentence for the customer. `unavailable`: the model could
 * not be called. `invalid_output`: the model's intent is invalid.
 */
export class PlanningFailedError extends Error {
  override readonly name = 'PlanningFailedError';
  /** Faults of the intent, each one sentence that starts with its position, without a full stop. */
  readonly faults: readonly string[];

  constructor(
    readonly why: 'unavailable' | 'invalid_output',
    message: string,
    faults: readonly string[] = [],
  ) {
    super(message);
    this.faults = faults.map((fault) => fault.replace(/\.$/, ''));
  }
}

/** Result of planning a prompt. */
export interface PlannedPrompt {
  /** Planner that read it: rules, or a language model. */
  readonly planner: 'rules' | 'model';
  /** One intent per table of the contract, in order; a single one without a contract. */
  readonly intents: readonly PlanIntent[];
}

/** Plans a prompt. It is called once per run, for all tables of the output contract together. */
export abstract class Planner {
  /**
   * @returns the intents; they list words that were not understood, which is not an error
   * @throws the signal's reason once it is aborted, PlanningTimeoutError after the deadline, PlanningFailedError
   */
  abstract createPlan(ask: PlanAsk, ctx: PlannerCtx, limits: PlannerLimits): Promise<PlannedPrompt>;
}

/** Checks the limits before a step of planning. @throws the signal's reason, PlanningTimeoutError */
export function checkLimits({ signal, deadlineMs }: PlannerLimits): void {
  signal.throwIfAborted();
  if (Date.now() > deadlineMs) throw new PlanningTimeoutError('The prompt could not be read in time.');
}
