import { Injectable } from '@nestjs/common';
import { formatCount } from '@quarry/service-catalog';
import type { StepJournal } from '@quarry/durable-work';
import { excerpt } from '@quarry/error-codes';
import { PlanningTimeoutError, readOutputContract, type OutputContract } from '@quarry/plan';
import {
  describeTables,
  MESSAGE_CHARACTERS_MAX,
  readStoredPlans,
  serviceCalls,
  type StoredPlan,
} from '@quarry/plan-compiler';
import { newId } from '@quarry/app';
import { Database } from '@quarry/postgres';
import type { LeftOutRows } from '../output/listed-rows.js';
import { insertPlan, understoodOf } from '../plans/plan-record.js';
import { RunFailure } from '../execution/run-failure.error.js';
import type { RunGuard } from '../execution/run-guard.js';
import { ConversationRecord } from './conversation-record.js';
import { PromptPlans, type ReadPrompt } from '../plans/prompt-plans.js';
import { RunLeaseStore, type LeasedRun } from '../execution/run-lease.store.js';
import { COST_CHARACTERS_MAX, RunPublisher } from './run-publisher.js';
import { PLAN_STEP } from '../execution/step-journal.js';
import { TableBuilder, type BuiltTable } from './table-builder.js';

/** Milliseconds that a planner may take to read a prompt. */
const PLANNING_MS = 30_000;

/** Names the key under which each table is frozen; empty when there is none. Keys are not shortened, because clients use them. */
function frozenText(keys: readonly string[]): string {
  if (keys.length === 0) return '';
  const subject = keys.length === 1 ? 'Key of the frozen table:' : 'Keys of the frozen tables:';
  return `${subject} ${keys.map((key) => `“${key}”`).join(', ')}.`;
}

/** The run was planned here and handed over to another queue, whose agents perform it. */
export class RunHandedOverError extends Error {
  override readonly name = 'RunHandedOverError';
}

/** Performs a run from its prompt to its published end. Every step is journaled, so a replay continues where it stopped. */
@Injectable()
export class RunScript {
  constructor(
    private readonly database: Database,
    private readonly leases: RunLeaseStore,
    private readonly plans: PromptPlans,
    private readonly builder: TableBuilder,
    private readonly record: ConversationRecord,
    private readonly publisher: RunPublisher,
  ) {}

  /** @throws RunHandedOverError for a run that belongs to another queue, RunFailure, and what the guard throws between steps */
  async performRun(run: LeasedRun, journal: StepJournal, guard: RunGuard): Promise<void> {
    const contract = run.outputContract ? readOutputContract(run.outputContract) : null;
    const stored = await journal.runStep(
      PLAN_STEP,
      () => ({ prompt: run.prompt, planId: newId('plan') }),
      ({ planId = newId('plan') }: { planId?: string }) => this.planTables(run, contract, guard, planId),
    );
    const plans = readStoredPlans(stored);
    if (run.queue === 'agent-runs' && plans.some(({ plan }) => plan.source.kind === 'web'))
      throw new RunHandedOverError('The run looks on the web.');
    const tables = new Map<number, BuiltTable>();
    for (const [index, { plan, unconfirmed = null }] of buildOrder(plans)) {
      if (plan.isEmpty) continue;
      await guard.checkpoint();
      const companies = tables.get(plan.companies_table ?? -1)?.domains ?? null;
      const request = { plan, index, unconfirmed, companies };
      tables.set(index, await this.builder.buildTable(run, journal, guard, request));
    }
    const built = plans.flatMap((_, index) => tables.get(index) ?? []);
    await guard.checkpoint();
    const isNoRequest = plans.some(({ plan }) => plan.isNoRequest);
    const answer = isNoRequest ? await this.record.readAnswer(run) : null;
    const keys = frozenText(built.map(({ key }) => key));
    const unsearched = plans.flatMap(({ plan }) => (plan.isEmpty ? { plan, summary: '' } : []));
    const messageOf = (leftOut: readonly LeftOutRows[]): string =>
      answer ??
      [
        describeTables(
          [
            ...unsearched,
            ...built.map((table) => ({ plan: table.plan, summary: summaryOf(table, leftOut) })),
          ],
          MESSAGE_CHARACTERS_MAX - COST_CHARACTERS_MAX - keys.length - 1,
        ),
        keys,
      ]
        .filter(Boolean)
        .join(' ');
    await this.publisher.publishTables(run, contract, built, messageOf);
  }

  /** Makes one plan for each table of the output contract, or a single one without a contract. Calls the planner once. */
  private async planTables(
    run: LeasedRun,
    contract: OutputContract | null,
    guard: RunGuard,
    planId: string,
  ): Promise<StoredPlan[]> {
    try {
      const limits = { signal: guard.signal, deadlineMs: Date.now() + PLANNING_MS };
      return await this.offerPlan(run, await this.plans.readPlans(run, contract, limits), planId);
    } catch (error) {
      // A planner that was aborted has not failed.
      await guard.checkpoint();
      throw error instanceof PlanningTimeoutError ? new RunFailure('agent_timeout', error.message) : error;
    }
  }

  /** Keeps the plan whose run is the consent, where words were not understood and columns are paid. */
  private async offerPlan(run: LeasedRun, read: ReadPrompt, planId: string): Promise<StoredPlan[]> {
    const { planner, plans } = read;
    const words = [...new Set(plans.flatMap(({ unconfirmed }) => unconfirmed?.words ?? []))];
    const isPaid = plans.some(({ plan }) => !plan.isEmpty && serviceCalls(plan.columns).length > 0);
    if (words.length === 0 || !isPaid) return plans;
    const { prompt, workspaceId, conversationId, outputContract: output } = run;
    const kept = plans.map(({ unconfirmed: _unconfirmed, ...plan }) => plan);
    const understood = await understoodOf(this.plans, run, kept);
    const record = { id: planId, prompt, workspaceId, conversationId, output, planner, understood };
    await insertPlan(this.database, run.ctx, { ...record, plans: kept, rootPlanId: null });
    await this.leases.setRootPlan(run, planId);
    return plans.map((plan) => ({ ...plan, unconfirmed: { words, plan_id: planId } }));
  }
}

/** Returns plans with their indexes: a table of people of listed companies comes after the table that lists them. */
function buildOrder(plans: readonly StoredPlan[]): Array<[number, StoredPlan]> {
  const needs = ([, { plan }]: [number, StoredPlan]): number => (plan.companies_table === undefined ? 0 : 1);
  return [...plans.entries()].sort((a, b) => needs(a) - needs(b));
}

/** Properties that a message has room for. */
const PROPERTIES_SHOWN = 5;

/** Says what came of a table. Where the output has fewer rows than the table, their number is that of the output. */
function summaryOf({ key, counted, summary }: BuiltTable, leftOut: readonly LeftOutRows[]): string {
  const left = leftOut.find((each) => each.key === key);
  return [left ? leftOutText(left) : counted, summary].filter(Boolean).join(' ');
}

function leftOutText({ published, total, properties }: LeftOutRows): string {
  const rows = published === 0 ? 'no row' : formatCount(published, 'row');
  const named = properties.slice(0, PROPERTIES_SHOWN).map((property) => `“${excerpt(property)}”`);
  const reason = named.length > 0 ? `: the schema does not accept their values for ${named.join(', ')}` : '';
  return `The output has ${rows}; ${total - published} of the table left out${reason}.`;
}
