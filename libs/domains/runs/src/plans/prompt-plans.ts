import { withDeadline } from '@quarry/resilience';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { withOwnVocabulary, type OwnVocabulary } from '@quarry/vocabulary';
import { excerpt } from '@quarry/error-codes';
import {
  emptyIntent,
  PLAN_INTENT,
  Planner,
  PlanningFailedError,
  PlanningTimeoutError,
  purposeOf,
  type ContractTable,
  type OutputContract,
  type PlanIntent,
  type PlannedPrompt,
  type PlannerLimits,
  type PreviousPlan,
  type TableProfile,
} from '@quarry/plan';
import {
  carriesOn,
  compilePlan,
  fittedFollowUp,
  intentFaults,
  unreadWords,
  withLostWords,
  withPeopleOfListed,
  withoutWordsOfOthers,
  withoutCorrected,
  type FoundRows,
  type StoredPlan,
} from '@quarry/plan-compiler';
import { isEnglish } from '@quarry/language-models';
import { canonicalJson, type Ctx } from '@quarry/app';
import { Database } from '@quarry/postgres';
import { Providers } from '@quarry/engine';
import { ResearchWebs } from '@quarry/research';
import { TableReaderPort } from '../ports/table-writer.port.js';
import { RunFailure } from '../execution/run-failure.error.js';
import { planOfRunBefore, plansOfStep, rowsOfRunBefore } from '../execution/step-journal.js';

/** The most faults of a refused plan that a message names. */
const FAULTS_SHOWN = 3;

/** A prompt and the conversation it belongs to. */
export interface PromptRequest {
  ctx: Ctx;
  prompt: string;
  /** Null when the run creates one. */
  workspaceId: string | null;
  /** Null when the run starts one. */
  conversationId: string | null;
  /** The run; null before it exists. */
  id: string | null;
}

/** Plans of a prompt: one for each table of the output contract, or a single one without a contract. */
export interface ReadPrompt extends Pick<PlannedPrompt, 'planner'> {
  readonly plans: StoredPlan[];
}

/** The last plan of a conversation and the rows it found. */
interface PlanBefore extends PreviousPlan, Omit<StoredPlan, keyof PreviousPlan> {
  readonly found: FoundRows | null;
}

/** Reads prompts for runs and for plans alike, so that a run performs exactly what a plan showed. */
@Injectable()
export class PromptPlans {
  constructor(
    private readonly database: Database,
    private readonly planner: Planner,
    private readonly tables: TableReaderPort,
    private readonly web: ResearchWebs,
    @Optional() @Inject(Providers) private readonly providers: Pick<Providers, 'vocabularyFor'> | null = null,
  ) {}

  /**
   * Asks the planner once for all tables.
   * @returns the plans and the planner that made them
   * @throws RunFailure when the prompt could not be read; what the planner throws
   */
  async readPlans(
    promptRequest: PromptRequest,
    contract: OutputContract | null,
    limits: PlannerLimits,
  ): Promise<ReadPrompt> {
    return withOwnVocabulary(await this.vocabularyOf(promptRequest), () =>
      this.readPrompt(promptRequest, contract, limits),
    );
  }

  private async readPrompt(
    promptRequest: PromptRequest,
    contract: OutputContract | null,
    limits: PlannerLimits,
  ): Promise<ReadPrompt> {
    const { ctx, prompt, workspaceId } = promptRequest;
    const output = contract?.tables ?? [];
    if (purposeOf(prompt) !== 'request') return noRequest(output);
    const previous = await this.findPrevious(promptRequest);
    const profileOf = this.profilesFor(promptRequest);
    const canSource = await this.web.canSource(ctx);
    const ask = {
      canSource,
      prompt,
      output,
      previous,
      tables: await this.tables.listNames(ctx, workspaceId),
      tableProfile: profileOf,
      referenceYear: new Date().getUTCFullYear(),
    };
    const { planner, intents } = await this.askPlanner(limits, () =>
      this.planner.createPlan(ask, ctx, limits),
    );
    if (intents.length !== Math.max(1, output.length)) throw new RunFailure('agent_invalid_output');
    const complete = await Promise.all(
      intents.map(async (read) => {
        const { source } = read;
        const table = source.kind === 'table' ? await profileOf(source.table_id) : null;
        // Only words of English prompts are checked here: for other languages the planner lists the words it did not understand.
        return isEnglish(prompt) ? withLostWords(read, prompt, table) : read;
      }),
    );
    const plans = await Promise.all(
      withoutWordsOfOthers(complete).map(async (intent, i) => {
        const beside = { prompt, output: output[i] ?? null, previous, profileOf, canSource };
        const { faults, stored } = await compileIntent(intent, beside);
        if (stored) {
          const fitted = await this.fitFollowUp(stored, promptRequest, contract, previous);
          return withUnread(fitted, previous, contract !== null);
        }
        throw new RunFailure('agent_invalid_output', `The prompt could not be read. ${excerpt(faults[0]!)}`);
      }),
    );
    return { planner, plans: withPeopleOfListed(plans) };
  }

  /**
   * Compiles existing intents, made by a planner or written by hand, against the tables as they are now.
   * @param written one for each table of the output contract, or a single one without a contract
   * @param before the plans that the intents are based on: their output shape is kept, whatever has run since
   * @returns the plans, and every fault with the index of its table; with a fault there are no plans
   */
  async compilePlan(
    promptRequest: PromptRequest,
    contract: OutputContract | null,
    plans: { written: readonly unknown[]; before: readonly StoredPlan[] },
  ): ReturnType<PromptPlans['compileWritten']> {
    return withOwnVocabulary(await this.vocabularyOf(promptRequest), () =>
      this.compileWritten(promptRequest, contract, plans),
    );
  }

  /** Values that occur only in the directories count as words that a prompt may use. */
  private async vocabularyOf({ ctx }: PromptRequest): Promise<OwnVocabulary | null> {
    return (await this.providers?.vocabularyFor(ctx)) ?? null;
  }

  private async compileWritten(
    promptRequest: PromptRequest,
    contract: OutputContract | null,
    { written, before }: { written: readonly unknown[]; before: readonly StoredPlan[] },
  ): Promise<{ plans: StoredPlan[]; faults: Array<{ table: number; fault: string }> }> {
    const { ctx, prompt } = promptRequest;
    const output = contract?.tables ?? [];
    const profileOf = this.profilesFor(promptRequest);
    const canSource = await this.web.canSource(ctx);
    const each = await Promise.all(
      written.map((intent, i) => {
        const previous = { shape: before[i]?.shape ?? null };
        const beside = { prompt, output: output[i] ?? null, previous, profileOf, canSource };
        return compileIntent(withoutCorrected(intent, before[i]?.intent ?? null), beside).then((now) =>
          withRowsBefore(now, before[i]),
        );
      }),
    );
    const faults = each.flatMap(({ faults: own }, table) => own.map((fault) => ({ table, fault })));
    if (faults.length > 0) return { faults, plans: [] };
    return { faults, plans: withPeopleOfListed(each.flatMap(({ stored }) => stored ?? [])) };
  }

  /** Applies a follow-up to the earlier rows, or asks what it refers to. An output contract always gets a new table. */
  private async fitFollowUp(
    stored: StoredPlan,
    { ctx, prompt }: PromptRequest,
    contract: OutputContract | null,
    previous: PlanBefore | null,
  ): Promise<StoredPlan> {
    if (contract !== null || previous === null || stored.shape !== null) return stored;
    const { found } = previous;
    return fittedFollowUp(stored, {
      prompt,
      previous,
      found: found && (await this.withoutLostTables(ctx, found)),
    });
  }

  /** The table may have been deleted since. */
  private async withoutLostTables(ctx: Ctx, found: FoundRows): Promise<FoundRows | null> {
    return this.tables.getTable(ctx, found.table_id).then(
      () => found,
      () => null,
    );
  }

  /** @returns the profile of the table that an intent reads, which its readings name; null when it reads a directory */
  profileOf({ ctx }: PromptRequest, { source }: PlanIntent): Promise<TableProfile> | null {
    return source.kind === 'table' ? this.tables.profileTable(ctx, source.table_id) : null;
  }

  /** @throws RunFailure when the planner could not read the prompt */
  private async askPlanner(
    limits: PlannerLimits,
    plan: () => Promise<PlannedPrompt>,
  ): Promise<PlannedPrompt> {
    try {
      return await withLimits(limits, plan());
    } catch (error) {
      if (!(error instanceof PlanningFailedError)) throw error;
      const code = error.why === 'unavailable' ? 'agent_execution_failed' : 'agent_invalid_output';
      // The faults quote the prompt and the vocabulary, which anyone who can read the run may see.
      const faults = error.faults.slice(0, FAULTS_SHOWN).map((fault) => ` Refused: ${excerpt(fault)}.`);
      throw new RunFailure(code, `${error.message}${faults.join('')}`);
    }
  }

  /** Reads each table once, however many intents refer to it. */
  private profilesFor({ ctx }: PromptRequest): (tableId: string) => Promise<TableProfile> {
    const profiles = new Map<string, Promise<TableProfile>>();
    return (tableId) => {
      const known = profiles.get(tableId) ?? this.tables.profileTable(ctx, tableId);
      profiles.set(tableId, known);
      return known;
    };
  }

  /**
   * Returns the plan that a conversation continues. Null when it has no intent, as plans of an older version, or was written by a
   * newer version, as may happen during a rollout.
   */
  private async findPrevious({ ctx, id, conversationId }: PromptRequest): Promise<PlanBefore | null> {
    if (conversationId === null) return null;
    const run = { ctx, id, conversationId };
    const [first] = plansOfStep(await planOfRunBefore(this.database, run));
    if (!first?.intent) return null;
    const found = await rowsOfRunBefore(this.database, run);
    // "5 more" means five in addition to the rows found, however many were wanted; of companies those that were wanted.
    const { companies_max: max, companies_table: table, limit } = first.plan;
    const companies = table === undefined ? max : undefined;
    const plan = { ...first.plan, limit: companies ?? found?.row_count ?? limit };
    return { ...first, intent: first.intent, plan, found };
  }
}

/** Keeps an unchanged plan on the rows that it was made for. */
function withRowsBefore<Compiled extends { stored: StoredPlan | null }>(
  now: Compiled,
  before: StoredPlan | undefined,
): Compiled {
  const within = before?.plan.within;
  if (!now.stored || !within || canonicalJson(now.stored.intent) !== canonicalJson(before.intent)) return now;
  const { plan } = now.stored;
  return { ...now, stored: { ...now.stored, plan: { ...plan, within, table: before.plan.table } } };
}

/** Returns the plans of a prompt that requests no rows: the planner is not called, and nothing is searched. */
function noRequest(output: readonly ContractTable[]): ReadPrompt {
  const source = { kind: 'nothing', reason: 'no_request' } as const;
  const plans = (output.length > 0 ? output : [null]).map((table): StoredPlan => {
    const intent = emptyIntent(table?.entity ?? 'company', { source, output_table: table?.key ?? null });
    const noted = {
      ...intent,
      notes: ['The prompt asks for no rows: a run answers it from the conversation.'],
    };
    return { intent: noted, plan: compilePlan(noted, { output: table, table: null }), shape: table };
  });
  return { planner: 'rules', plans };
}

/**
 * Lists the words that were not understood, of this prompt and of the earlier prompts that it continues, and the columns that the
 * output contract requires and nothing fills: an output leaves out rows without them, whatever their other columns have cost.
 */
function withUnread(stored: StoredPlan, previous: PlanBefore | null, hasContract: boolean): StoredPlan {
  const { intent, plan } = stored;
  if (!intent) return stored;
  // The output contract of an earlier prompt says nothing about this one.
  const unfilled = hasContract ? unfilledColumns(plan) : [];
  const unfilledBefore = previous ? unfilledColumns(previous.plan) : [];
  const before = carriesOn(intent) ? (previous?.unconfirmed?.words ?? []) : [];
  const kept = before.filter((words) => !unfilledBefore.includes(words));
  const words = [...new Set([...kept, ...unreadWords(intent), ...unfilled])];
  return words.length === 0 ? stored : { ...stored, unconfirmed: { words, plan_id: null } };
}

/**
 * Enforces the planner's limits, so that a planner that ignores them cannot block a run.
 * @throws the reason of the signal when it is aborted, PlanningTimeoutError after the deadline
 */
function withLimits<T>({ signal, deadlineMs }: PlannerLimits, work: Promise<T>): Promise<T> {
  const late = (): Error => new PlanningTimeoutError('The prompt could not be read in time.');
  return withDeadline(work, { ms: deadlineMs - Date.now(), late, signal });
}

/** @returns the plan of an intent, or its faults; `written` may be anything */
async function compileIntent(
  written: unknown,
  beside: {
    readonly prompt: string;
    readonly output: ContractTable | null;
    readonly previous: Pick<StoredPlan, 'shape'> | null;
    readonly profileOf: (tableId: string) => Promise<TableProfile>;
    readonly canSource: boolean;
  },
): Promise<{ faults: string[]; stored: StoredPlan | null }> {
  const { prompt, output, previous, profileOf, canSource } = beside;
  const read = PLAN_INTENT.safeParse(written);
  const { source, continues } = read.data ?? { source: null, continues: false };
  const table = source?.kind === 'table' ? await profileOf(source.table_id) : null;
  const earlier = continues ? (previous?.shape ?? null) : null;
  const faults = intentFaults(written, { prompt, output, earlier, table, canSource });
  if (faults.length > 0 || !read.success) return { faults, stored: null };
  const intent = read.data;
  const plan = compilePlan(intent, { output, earlier, table });
  return { faults, stored: { intent, plan, shape: output ?? earlier } };
}

function unfilledColumns({ columns }: StoredPlan['plan']): string[] {
  return columns.flatMap(({ key, required, source }) =>
    required && source.from === 'nothing' ? `column ${key}` : [],
  );
}
