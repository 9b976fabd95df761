import { AppError } from '@quarry/error-codes';
import {
  TABLES_RPC,
  cellOf,
  type CellJson,
  type ColumnJson,
  type ColumnKind,
  type FitJson,
  type FitStatus,
  type RequestOf,
  type ResponseOf,
} from '@quarry/dto';
import { newId, type Ctx } from '@quarry/app';
import { openLocalCalls } from '@quarry/platform';
import type { Database } from '@quarry/postgres';
import type { RpcCall } from '@quarry/rpc';
import { TableFreezer } from './frozen/table-freezer.js';
import { RunReader } from './frozen/frozen-tables.store.js';
import { TableWriterModule } from './table-writer.module.js';
import { TablesModule } from './tables.module.js';
import { TableReader } from './writer/table-reader.js';
import { TableWriter } from './writer/table-writer.js';

/** The calls of the scene, by the names that they are declared with. */
type TableCalls = {
  [Name in keyof typeof TABLES_RPC]: (
    ctx: Ctx,
    request: RequestOf<(typeof TABLES_RPC)[Name]>,
  ) => Promise<ResponseOf<(typeof TABLES_RPC)[Name]>>;
};

export interface Scene {
  rpc: TableCalls;
  writer: TableWriter;
  reader: TableReader;
  freezer: TableFreezer;
  /** Makes the runs scene know a run. @returns its id */
  addRun(ctx: Ctx): string;
  /** Keys of columns that are being filled. */
  filling: Set<string>;
}

/** For specs: the scene's modules as an app imports them, over a known set of runs. */
export async function openScene(database: Database): Promise<Scene> {
  const runs = new Set<string>();
  const filling = new Set<string>();
  const isColumnInUse = (_ctx: Ctx, _tableId: string, key: string) => Promise.resolve(filling.has(key));
  const exists = (ctx: Ctx, runId: string) => Promise.resolve(runs.has(`${ctx.orgId} ${ctx.mode} ${runId}`));
  class RunsModule {}
  const { rpc, get } = await openLocalCalls({
    database,
    cursorSecret: 'spec',
    modules: [
      {
        module: RunsModule,
        global: true,
        providers: [{ provide: RunReader, useValue: { hasRun: exists, isColumnInUse } }],
        exports: [RunReader],
      },
      TablesModule.forRoot({ appUrl: 'https://app.quarry.example' }),
      TableWriterModule,
    ],
    apis: [TABLES_RPC],
  });
  const calls = Object.entries(TABLES_RPC).map(([name, call]) => [
    name,
    (ctx: Ctx, request: never) => rpc.call<never, unknown>(ctx, call as RpcCall<never, unknown>, request),
  ]);
  return {
    rpc: Object.fromEntries(calls) as TableCalls,
    writer: get(TableWriter),
    reader: get(TableReader),
    freezer: get(TableFreezer),
    filling,
    addRun: (ctx) => {
      const runId = newId('run');
      runs.add(`${ctx.orgId} ${ctx.mode} ${runId}`);
      return runId;
    },
  };
}

export function column(key: string, kind: ColumnKind = 'text'): ColumnJson {
  return { key, name: key.toUpperCase(), kind, qualification: {} };
}

export function fit(status: FitStatus): FitJson {
  return { status, score: status === 'unknown' ? null : 1, reason: `it is ${status}`, criteria: [] };
}

/** Makes a workspace with a live table in it. @returns both ids */
export async function newTable(
  scene: Scene,
  ctx: Ctx,
  columns: ColumnJson[],
): Promise<{ workspaceId: string; tableId: string }> {
  const workspaceId = await scene.writer.createWorkspace(ctx, 'Spec');
  const tableId = newId('tbl');
  await scene.writer.createTable(ctx, { id: tableId, workspaceId, name: 'Leads', columns });
  return { workspaceId, tableId };
}

/** @returns the parsed answer of a call */
export async function json<T = Record<string, unknown>>(answer: Promise<string | Buffer>): Promise<T> {
  return JSON.parse((await answer).toString()) as T;
}

/** @returns what a call is refused with, as the client would see it */
export async function refusal(call: Promise<unknown>): Promise<ReturnType<AppError['serialize']>> {
  const outcome = await call.then(
    () => null,
    (error: unknown) => error,
  );
  if (outcome instanceof AppError) return outcome.serialize();
  throw outcome ?? new Error('The call was not refused.');
}

/** Returns a cell in a state, as a service would fill it. */
export function cell(status: CellJson['status']): CellJson {
  const known = { confidence: 'high', reasoning: 'the page says so' } as const;
  return cellOf(status, { ...known, updated_at: '2026-01-01T00:00:00.000Z' });
}
