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
} from '@quarry/plan';
import {
  carriesOn,
  compilePlan,
  fittedFollowUp,
  intentFaults,
  readStoredPlans,
  UnknownPlanVersionError,
  unreadWords,
  withLostWords,
  withoutCorrected,
} from '@quarry/plan-compiler';
import type {
  ContractTable,
  OutputContract,
  PlanIntent,
  PlannedPrompt,
  PlannerLimits,
  PreviousPlan,
  TableProfile,
} from '@quarry/plan';
import type { FoundRows, StoredPlan } from '@quarry/plan-compiler';
import { isEnglish } from '@quarry/language-models';
import { canonicalJson, type Ctx } from '@quarry/app';
import { Database } from '@quarry/postgres';
import { Providers } from '@quarry/engine';
import { TableWriterPort } from '../ports/table-writer.port.js';
import { WebAccess } from '../sourcing/web-access.js';
import { RunFailure } from '../execution/run-failure.error.js';
import { PLAN_STEP, resultOfRunBefore, rowsOfRunBefore } from './step-journal.js';

/** Faults of a refused plan that a message has room for. */
const FAULTS_SHOWN = 3;

/** A prompt and where it was said. */
export interface PromptRequest {
  ctx: Ctx;
  prompt: string;
  /** Null where the run makes one. */
  workspaceId: string | null;
  /** Null where the run begins one. */
  conversationId: string | null;
  /** The run; null before there is one. */
  id: string | null;
}

/** Plans of a prompt: one for each table of the output contract, one where it names none. */
export interface ReadPrompt extends Pick<PlannedPrompt, 'planner'> {
  readonly plans: StoredPlan[];
}

/** The last plan of a conversation, and the rows that it has found. */
interface PlanBefore extends PreviousPlan, Omit<StoredPlan, keyof PreviousPlan> {
  readonly found: FoundRows | null;
}

/** Reads prompts as runs do: what is planned here is what a run performs. */
@Injectable()
export class PromptPlans {
  constructor(
    private readonly database: Database,
    private readonly planner: Planner,
    private readonly tables: TableWriterPort,
    private readonly web: WebAccess,
    @Optional() @Inject(Providers) private readonly providers: Pick<Providers, 'vocabularyFor'> | null = null,
  ) {}

  /**
   * @returns the plans, and who has read the prompt: the planner is asked once for all of them
   * @throws RunFailure for a prompt that was not read well; what the planner throws
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
    const output = contract?.tables ?? [];
    if (purposeOf(promptRequest.prompt) !== 'request') return noRequest(output);
    const previous = await this.findPrevious(promptRequest);
    const profileOf = this.profilesFor(promptRequest);
    const canSource = await this.web.canSource(promptRequest.ctx);
    const ask = {
      canSource,
      prompt: promptRequest.prompt,
      output,
      previous,
      tables: await this.tables.listNames(promptRequest.ctx, promptRequest.workspaceId),
      tableProfile: profileOf,
      referenceYear: new Date().getUTCFullYear(),
    };
    const { planner, intents } = await this.askPlanner(limits, () =>
      this.planner.createPlan(ask, promptRequest.ctx, limits),
    );
    if (intents.length !== Math.max(1, output.length)) throw new RunFailure('agent_invalid_output');
    const plans = await Promise.all(
      intents.map(async (read, i) => {
        // Words of other languages are named by whoever has read them.
        const { source } = read;
        const table = source.kind === 'table' ? await profileOf(source.table_id) : null;
        const intent = isEnglish(promptRequest.prompt)
          ? withLostWords(read, promptRequest.prompt, table)
          : read;
        const beside = {
          prompt: promptRequest.prompt,
          output: output[i] ?? null,
          previous,
          profileOf,
          canSource,
        };
        const { faults, stored } = await compileIntent(intent, beside);
        if (stored)
          return withUnread(await this.fitFollowUp(stored, promptRequest, contract, previous), previous);
        throw new RunFailure('agent_invalid_output', `The prompt was not read well. ${excerpt(faults[0]!)}`);
      }),
    );
    return { planner, plans };
  }

  /**
   * Compiles intents that were written before, by a planner or by hand, over the tables as they are now.
   * @param written one for each table of the output contract, one where it names none
   * @param before what was planned before somebody wrote them: its shape is carried on, whatever has run since
   * @returns the plans, and every fault with its place in the list; with a fault there are no plans
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

  /** Values that only the directories have are words that a prompt may name. */
  private async vocabularyOf({ ctx }: PromptRequest): Promise<OwnVocabulary | null> {
    return (await this.providers?.vocabularyFor(ctx)) ?? null;
  }

  private async compileWritten(
    promptRequest: PromptRequest,
    contract: OutputContract | null,
    { written, before }: { written: readonly unknown[]; before: readonly StoredPlan[] },
  ): Promise<{ plans: StoredPlan[]; faults: Array<{ table: number; fault: string }> }> {
    const output = contract?.tables ?? [];
    const profileOf = this.profilesFor(promptRequest);
    const canSource = await this.web.canSource(promptRequest.ctx);
    const each = await Promise.all(
      written.map((intent, i) => {
        const previous = { shape: before[i]?.shape ?? null };
        const beside = {
          prompt: promptRequest.prompt,
          output: output[i] ?? null,
          previous,
          profileOf,
          canSource,
        };
        return compileIntent(withoutCorrected(intent, before[i]?.intent ?? null), beside).then((now) =>
          withRowsBefore(now, before[i]),
        );
      }),
    );
    const faults = each.flatMap(({ faults: own }, table) => own.map((fault) => ({ table, fault })));
    return { faults, plans: faults.length > 0 ? [] : each.flatMap(({ stored }) => stored ?? []) };
  }

  /** Lets a follow-up work on the rows before it, or asks what it refers to. An output contract makes its own table. */
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

  /** A table may be gone by now. */
  private async withoutLostTables(ctx: Ctx, found: FoundRows): Promise<FoundRows | null> {
    return this.tables.getTable(ctx, found.table_id).then(
      () => found,
      () => null,
    );
  }

  /** @returns what gives the profile of the own table that an intent reads, in words for people; null for the directory */
  profileOf({ ctx }: PromptRequest, { source }: PlanIntent): Promise<TableProfile> | null {
    return source.kind === 'table' ? this.tables.profileTable(ctx, source.table_id) : null;
  }

  /** @throws RunFailure for a prompt that the planner could make nothing of */
  private async askPlanner(
    limits: PlannerLimits,
    plan: () => Promise<PlannedPrompt>,
  ): Promise<PlannedPrompt> {
    try {
      return await withLimits(limits, plan());
    } catch (error) {
      if (!(error instanceof PlanningFailedError)) throw error;
      const code = error.why === 'unavailable' ? 'agent_execution_failed' : 'agent_invalid_output';
      // They quote the prompt and the vocabulary: whoever may read the run may read them.
      const faults = error.faults.slice(0, FAULTS_SHOWN).map((fault) => ` Refused: ${excerpt(fault)}.`);
      throw new RunFailure(code, `${error.message}${faults.join('')}`);
    }
  }

  /** Each table is read once, however many intents speak of it. */
  private profilesFor({ ctx }: PromptRequest): (tableId: string) => Promise<TableProfile> {
    const profiles = new Map<string, Promise<TableProfile>>();
    return (tableId) => {
      const known = profiles.get(tableId) ?? this.tables.profileTable(ctx, tableId);
      profiles.set(tableId, known);
      return known;
    };
  }

  /**
   * Returns the plan that a conversation carries on: none where it has no intent, as that of an older version, or comes
   * from a newer one, which may have planned the run before while this version is being replaced.
   */
  private async findPrevious({ ctx, id, conversationId }: PromptRequest): Promise<PlanBefore | null> {
    if (conversationId === null) return null;
    const stored = await resultOfRunBefore(this.database, { ctx, id, conversationId }, PLAN_STEP);
    const [first] = stored === null ? [] : plansKnown(stored);
    if (!first?.intent) return null;
    const found = await rowsOfRunBefore(this.database, { ctx, id, conversationId });
    // "5 more" are five on top of the rows that there are, however many were wanted.
    const plan = { ...first.plan, limit: found?.row_count ?? first.plan.limit };
    return { ...first, intent: first.intent, plan, found };
  }
}

/** A plan that nobody has changed works on the rows that it was made for. */
function withRowsBefore<Compiled extends { stored: StoredPlan | null }>(
  now: Compiled,
  before: StoredPlan | undefined,
): Compiled {
  const within = before?.plan.within;
  if (!now.stored || !within || canonicalJson(now.stored.intent) !== canonicalJson(before.intent)) return now;
  const { plan } = now.stored;
  return { ...now, stored: { ...now.stored, plan: { ...plan, within, table: before.plan.table } } };
}

/** The plans of a prompt that is no request for rows: no planner reads it, and nothing is searched. */
function noRequest(output: readonly ContractTable[]): ReadPrompt {
  const source = { kind: 'nothing', reason: 'no_request' } as const;
  const plans = (output.length > 0 ? output : [null]).map((table): StoredPlan => {
    const intent = emptyIntent(table?.entity ?? 'company', { source, output_table: table?.key ?? null });
    const noted = {
      ...intent,
      notes: ['This is no request for rows: a run answers it from the conversation.'],
    };
    return { intent: noted, plan: compilePlan(noted, { output: table, table: null }), shape: table };
  });
  return { planner: 'rules', plans };
}

/** Names the words that nobody has understood, of this prompt and of those before it that it carries on. */
function withUnread(stored: StoredPlan, previous: Pick<StoredPlan, 'unconfirmed'> | null): StoredPlan {
  const { intent } = stored;
  if (!intent) return stored;
  const before = carriesOn(intent) ? (previous?.unconfirmed?.words ?? []) : [];
  const words = [...new Set([...before, ...unreadWords(intent)])];
  return words.length === 0 ? stored : { ...stored, unconfirmed: { words, plan_id: null } };
}

/**
 * Holds a planner to its limits: one that heeds them by itself ends first, and one that does not keeps no run for ever.
 * @throws the signal's reason once it is aborted, PlanningTimeoutError after the deadline
 */
function withLimits<T>({ signal, deadlineMs }: PlannerLimits, work: Promise<T>): Promise<T> {
  const late = (): Error => new PlanningTimeoutError('The prompt could not be read in time.');
  return withDeadline(work, { ms: deadlineMs - Date.now(), late, signal });
}

function plansKnown(stored: unknown): StoredPlan[] {
  try {
    return readStoredPlans(stored);
  } catch (error) {
    if (error instanceof UnknownPlanVersionError) return [];
    throw error;
  }
}

/** @param written an intent, or what somebody takes for one @returns its plan, or its faults */
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
