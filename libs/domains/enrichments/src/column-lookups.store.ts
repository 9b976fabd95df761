import { Injectable } from '@nestjs/common';
import { chargesOfRuns, toCredits, type RunCharge } from '@quarry/credit-ledger';
import { ColumnDetails, jsonText, type ColumnJson, type JsonText } from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import type { PlanColumn } from '@quarry/plan';
import { keysOfInputs, readStoredPlans, serviceCalls, type ServiceCall } from '@quarry/plan-compiler';
import type { Ctx } from '@quarry/app';
import { Database, isoTime, ofTenant, tenantOf } from '@quarry/postgres';
import { EnrichableRowsPort } from './enrichable-rows.port.js';
import { statement } from './statements.types.js';

/** A run or an enrichment that has looked up values of a table. */
type Work = {
  id: string;
  created_at: string;
  /** The columns of an enrichment; null for a run. */
  columns: PlanColumn[] | null;
  /** The plans of a run, as its journal has them. */
  plans: unknown;
  /** Name of the step that opened the table: `table-0.create`. */
  opened_by: string | null;
  /** The batches of a run's steps, by the step's name. */
  batches: Record<string, string | null> | null;
};

/** Number of the newest runs and enrichments that are read. */
const WORKS_MAX = 100;

/** Reads which service fills a column of a live table, and what its lookups were charged. */
@Injectable()
export class ColumnLookupStore {
  constructor(
    private readonly database: Database,
    private readonly tables: EnrichableRowsPort,
  ) {}

  /** @throws AppError table_not_found, not_found for a column */
  async readColumn(ctx: Ctx, tableId: string, key: string): Promise<JsonText<typeof ColumnDetails>> {
    const { workspaceId, columns } = await this.tables.getTable(ctx, tableId);
    const column = columns.find((each) => each.key === key);
    if (!column) throw new AppError('not_found', 'Column not found in this table.');
    const params = [tenantOf(ctx), tableId, key, workspaceId, WORKS_MAX] as const;
    const works = await this.database.query(ctx, WORKS, params, 'list');
    const lookups = works.flatMap((work) => {
      const call = callOf(work, key);
      return call ? [{ work, call }] : [];
    });
    const oldest = lookups.at(-1)?.work.created_at ?? null;
    const ids = lookups.map(({ work }) => work.id);
    const charges = oldest === null ? [] : await chargesOfRuns(this.database, ctx, ids, oldest);
    const milli = lookups.reduce((sum, { work, call }) => sum + chargedFor(work, call, charges), 0);
    const [latest] = lookups;
    return jsonText(ColumnDetails, {
      ...column,
      source: latest ? sourceOf(latest.call, key, columns) : null,
      charged: toCredits(milli),
      charged_since: oldest,
    });
  }
}

/** @returns the charges of the call of one run or enrichment, in thousandths of a credit */
function chargedFor(
  { id, columns, batches }: Work,
  call: ServiceCall,
  charges: readonly RunCharge[],
): number {
  const isOwnStep = (name: string): boolean => name.includes(`.fill.${call.key}.`);
  const ownBatches = Object.entries(batches ?? {}).flatMap(([name, batch]) => (isOwnStep(name) ? batch : []));
  // An enrichment makes one call, and a run several: their batches are known by their steps.
  const isOwn = ({ batchId, service }: RunCharge): boolean =>
    columns !== null || batchId === null ? service === call.service.name : ownBatches.includes(batchId);
  return charges
    .filter((charge) => charge.runId === id && isOwn(charge))
    .reduce((sum, { amount }) => sum + amount, 0);
}

/** @returns the call that filled the column; undefined when none did, or when this version cannot read its plan or service */
function callOf({ columns, plans, opened_by: step }: Work, key: string): ServiceCall | undefined {
  try {
    const index = Number(/\d+/.exec(step ?? '')?.[0]);
    const filled = columns ?? readStoredPlans(plans)[index]?.plan?.columns ?? [];
    return serviceCalls(filled)
      .flat()
      .find((call) => call.columns.some((column) => column.key === key));
  } catch {
    return undefined;
  }
}

/** @returns what looks the column up again. Inputs that read no column of the table are left out, and are then guessed */
function sourceOf({ service, inputs, columns }: ServiceCall, key: string, known: readonly ColumnJson[]) {
  const isKnown = keysOfInputs(inputs).every((input) => known.some((column) => column.key === input));
  return {
    service: service.name,
    field: columns.find((column) => column.key === key)!.field,
    ...(inputs && isKnown ? { inputs } : {}),
  };
}

const WORKS = statement(
  'column-lookups.works',
  `
  SELECT * FROM (
    (SELECT e.id, ${isoTime('e.created_at')} AS created_at, e.created_at AS at, e.columns, NULL::jsonb AS plans,
      NULL AS opened_by, NULL::jsonb AS batches
    FROM runs.enrichments e
    WHERE ${ofTenant('e')} AND e.table_id = $2 AND e.columns @> jsonb_build_array(jsonb_build_object('key', $3::text))
    ORDER BY e.created_at DESC, e.id DESC LIMIT $5)
    UNION ALL
    (SELECT r.id, ${isoTime('r.created_at')}, r.created_at, NULL::jsonb, p.result, c.name,
      (SELECT jsonb_object_agg(f.name, f.input ->> 'batchId') FROM runs.steps f
        WHERE f.run_id = r.id AND f.name LIKE split_part(c.name, '.', 1) || '.fill.%')
    FROM runs.runs r
    JOIN runs.steps p ON p.run_id = r.id AND p.name = 'plan' AND p.finished_at IS NOT NULL
    JOIN runs.steps c ON c.run_id = r.id AND c.name LIKE 'table-%.create' AND c.result ->> 'tableId' = $2
    WHERE ${ofTenant('r')} AND r.workspace_id = $4
    ORDER BY r.created_at DESC, r.id DESC LIMIT $5)
  ) AS works
  ORDER BY at DESC, id DESC LIMIT $5`,
).rows<Work>();
