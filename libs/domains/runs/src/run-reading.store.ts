import { Injectable } from '@nestjs/common';
import type { ResponseOf, RUNS_RPC } from '@quarry/dto';
import { notFound, type Ctx } from '@quarry/app';
import { Database, ofTenant, tenantOf } from '@quarry/postgres';
import { PromptPlans } from './plans/prompt-plans.js';
import { PLAN_STEP, plansOfStep } from './execution/step-journal.js';
import { isInOpenWorkspace } from './open-workspace.sql.js';
import { understoodOf } from './plans/plan-record.js';
import { statement } from './statements.types.js';

/** Reads from the journal how the prompt of a run was understood, and the keys of its frozen tables. */
@Injectable()
export class RunReadingStore {
  constructor(
    private readonly database: Database,
    private readonly plans: PromptPlans,
  ) {}

  /** @returns empty lists for a run that has no plan yet. @throws AppError run_not_found */
  async readReading(ctx: Ctx, runId: string): Promise<ResponseOf<(typeof RUNS_RPC)['getRunReading']>> {
    const run = await this.database.queryOne(ctx, READ, [tenantOf(ctx), runId, PLAN_STEP], 'read');
    if (!run) throw notFound('run');
    const stored = plansOfStep(run.plans);
    const request = { ctx, prompt: run.prompt, workspaceId: null, conversationId: null, id: runId };
    const tables = run.tables as Array<{ index: number; table_id: string }>;
    return {
      understood: await understoodOf(this.plans, request, stored),
      not_understood: [...new Set(stored.flatMap(({ plan }) => plan.notUnderstood))],
      tables: tables.flatMap(({ index, table_id: tableId }) => {
        const key = stored[index]?.plan.table.key;
        return key === undefined ? [] : { table_id: tableId, key };
      }),
    };
  }
}

const READ = statement(
  'run-reading.read',
  `
  SELECT r.prompt,
    (SELECT s.result FROM runs.steps s WHERE s.run_id = r.id AND s.name = $3) AS plans,
    coalesce((SELECT json_agg(json_build_object('index', substring(s.name FROM '[0-9]+')::int, 'table_id', s.result->>'tableId'))
      FROM runs.steps s WHERE s.run_id = r.id AND s.name ~ '^table-[0-9]+[.]create$' AND s.finished_at IS NOT NULL), '[]') AS tables
  FROM runs.runs r
  WHERE ${ofTenant('r')} AND r.id = $2
    AND ${isInOpenWorkspace('r')}`,
).rows<{ plans: unknown; tables: unknown }>();
