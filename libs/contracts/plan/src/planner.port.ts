import type { ColumnJson } from '@quarry/dto';
import type { PlanIntent } from './schema/plan-intent.schema.js';
import type { ContractTable } from './output/output-contract.js';
import type { RunPlan } from './run-plan.js';

/** A table of the organisation that a prompt may name. */
export interface KnownTable {
  readonly id: string;
  readonly name: string;
}

/** Content of a table, column by column. */
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

/** Latest request of the conversation, and the plan that was made of it. */
export interface PreviousPlan {
  readonly intent: PlanIntent;
  readonly plan: RunPlan;
}

/** A prompt, and what a planner may know beyond it. */
export interface PlanAsk {
  readonly prompt: string;
  /** Tables of the output contract; empty for one table of the planner's choosing. */
  readonly output: readonly ContractTable[];
  /** For prompts such as "only those in Berlin". */
  readonly previous: PreviousPlan | null;
  /** Tables that the prompt may name, one for each name. */
  readonly tables: readonly KnownTable[];
  /** Asked only for one of `tables` that the prompt names, or that the previous plan has read. */
  readonly tableProfile: (tableId: string) => Promise<TableProfile>;
  /** True where rows can be looked for on the web; false when left out. */
  readonly canSource?: boolean;
  /** The year that "the last five years" counts back from. */
  readonly referenceYear: number;
}

/** On whose behalf a planner is asked; a context of the platform is one. */
export interface PlannerCtx {
  readonly orgId: string;
  readonly mode: 'live' | 'test';
  readonly requestId: string;
}

/** Limits of a planner's work. */
export interface PlannerLimits {
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Milliseconds since 1970 at which the answer must be there. */
  readonly deadlineMs: number;
}

/** Thrown when the deadline of an ask has passed. */
export class PlanningTimeoutError extends Error {
  override readonly name = 'PlanningTimeoutError';
}

/**
 * Thrown when a planner could make nothing of a prompt that it answers for. Its message is a sentence for the customer.
 * `unavailable`: what it reads with could not be asked. `invalid_output`: what was written cannot be meant.
 */
export class PlanningFailedError extends Error {
  override readonly name = 'PlanningFailedError';
  /** Faults of the intent, each one sentence that begins with its place, without its full stop. */
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

/** Reading of a prompt. */
export interface PlannedPrompt {
  /** Planner that has read it: rules, or a language model. */
  readonly planner: 'rules' | 'model';
  /** One for each table of the contract, in their order; one where there is none. */
  readonly intents: readonly PlanIntent[];
}

/** Reads a prompt. It is asked once for each run, for all tables of the output contract together. */
export abstract class Planner {
  /**
   * @returns the intents; what is not understood is named in them, not thrown
   * @throws the signal's reason once it is aborted, PlanningTimeoutError after the deadline, PlanningFailedError
   */
  abstract createPlan(ask: PlanAsk, ctx: PlannerCtx, limits: PlannerLimits): Promise<PlannedPrompt>;
}

/** @throws the signal's reason, PlanningTimeoutError: what a planner does before it begins a step */
export function checkLimits({ signal, deadlineMs }: PlannerLimits): void {
  signal.throwIfAborted();
  if (Date.now() > deadlineMs) throw new PlanningTimeoutError('The prompt could not be read in time.');
}
