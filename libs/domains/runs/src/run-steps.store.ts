import { Injectable } from '@nestjs/common';
import { chargesOfRun, toCredits } from '@quarry/credit-ledger';
import { jsonText, RunSteps, type JsonText, type ResourceOf } from '@quarry/dto';
import { notFound, type Ctx } from '@quarry/app';
import { Database, isoTime, ofTenant, tenantOf } from '@quarry/postgres';
import { PLAN_STEP } from './execution/step-journal.js';
import { isInOpenWorkspace } from './open-workspace.sql.js';
import { statement } from './statements.types.js';

type Step = ResourceOf<JsonText<typeof RunSteps>>['items'][number];

interface JournalStep {
  name: string;
  started_at: string;
  finished_at: string | null;
  batch_id: string | null;
  service: string | null;
}

/** Titles of journal steps for users. Steps of no interest to users have no title. */
const TITLES: Readonly<Record<string, string>> = { rows: 'Find rows', fit: 'Judge which rows fit' };

/** Reads the progress of a run: its prompt, and its steps with their times and costs. */
@Injectable()
export class RunStepStore {
  constructor(private readonly database: Database) {}

  /** @returns the steps so far, in the order in which they began @throws AppError run_not_found */
  async readSteps(ctx: Ctx, runId: string): Promise<JsonText<typeof RunSteps>> {
    const run = await this.database.queryOne(ctx, READ, [tenantOf(ctx), runId], 'read');
    if (!run) throw notFound('run');
    const charges = await chargesOfRun(this.database, ctx, runId, run.created_at);
    const charged = new Map(charges.map(({ batchId, service, amount }) => [batchId ?? service, amount]));
    return jsonText(RunSteps, {
      run_id: runId,
      prompt: run.prompt,
      created_at: run.created_at,
      started_at: run.started_at,
      completed_at: run.ended_at,
      charged: toCredits(charges.reduce((sum, { amount }) => sum + amount, 0)),
      items: foldSteps(run.steps as JournalStep[], charged, run.ended_at !== null),
    });
  }
}

/**
 * Merges the parts of a step, such as the batches of one column: it begins with the first and ends with the last.
 * @param charged thousandths of a credit by batch id, or by service name for charges without a batch
 */
function foldSteps(
  journal: readonly JournalStep[],
  charged: Map<string | null, number>,
  hasEnded: boolean,
): Step[] {
  const steps = new Map<string, Step & { milli: number }>();
  for (const { name, started_at, finished_at, batch_id, service } of journal) {
    const known = describeStep(name);
    if (!known) continue;
    const before = steps.get(known.name);
    // A web search is charged once, by its hold. Direct calls name no step: the first with their service has them all.
    const by = name.endsWith('.web.hold') ? 'sourcing' : charged.has(batch_id) ? batch_id : service;
    const milli = (before?.milli ?? 0) + (charged.get(by) ?? 0);
    charged.delete(by);
    const statusOfOpen = hasEnded ? 'failed' : 'running';
    const isOpen = finished_at === null || before?.status === 'running';
    steps.set(known.name, {
      ...known,
      status: isOpen ? statusOfOpen : 'completed',
      started_at: before?.started_at ?? started_at,
      completed_at: isOpen ? null : [before?.completed_at ?? '', finished_at].sort().at(-1)!,
      charged: 0,
      milli,
    });
  }
  return [...steps.values()].map(({ milli, ...step }) => ({ ...step, charged: toCredits(milli) }));
}

/** @returns the step that a journal entry belongs to; null for bookkeeping entries, such as the id of a table */
function describeStep(name: string): { name: string; title: string } | null {
  if (name === PLAN_STEP) return { name, title: 'Read the prompt' };
  const [, table, kind, rest] = /^(table-\d+)\.([a-z]+)(?:\.(.+))?$/.exec(name) ?? [];
  if (table === undefined || kind === undefined) return null;
  if (kind === 'fill' && rest !== undefined) {
    const key = rest.replace(/(?:\.\d+)+$/, '');
    return { name: `${table}.fill.${key}`, title: `Look up ${key.replaceAll('_', ' ')}` };
  }
  if (kind === 'web') return { name: `${table}.web`, title: 'Look on the web' };
  const title = TITLES[kind];
  return title === undefined ? null : { name, title };
}

const READ = statement(
  'run-steps.read',
  `
  SELECT r.prompt, ${isoTime('r.created_at')} AS created_at, ${isoTime('r.started_at')} AS started_at, ${isoTime('r.ended_at')} AS ended_at,
    coalesce((SELECT json_agg(json_build_object('name', s.name, 'started_at', ${isoTime('s.started_at')},
      'finished_at', ${isoTime('s.finished_at')}, 'batch_id', s.input->>'batchId', 'service', s.input->>'service') ORDER BY s.position)
      FROM runs.steps s WHERE s.run_id = r.id), '[]') AS steps
  FROM runs.runs r
  WHERE ${ofTenant('r')} AND r.id = $2
    AND ${isInOpenWorkspace('r')}`,
).rows<{ created_at: string; started_at: string | null; ended_at: string | null; steps: unknown }>();
