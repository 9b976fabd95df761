import { AppError } from '@quarry/error-codes';
import type { ColumnJson, ColumnKind, FitJson, FitStatus } from '@quarry/dto';
import { CursorSigner, newId, type Ctx, type Database } from '@quarry/platform';
import { TableFreezer } from './frozen/table-freezer.js';
import { tablesRpcHandlers } from './tables.rpc-handlers.js';
import { TableReader } from './writer/table-reader.js';
import { TableWriter } from './writer/table-writer.js';

export interface Room {
  rpc: ReturnType<typeof tablesRpcHandlers>;
  writer: TableWriter;
  reader: TableReader;
  freezer: TableFreezer;
  /** Makes the runs room know a run. @returns its id */
  addRun(ctx: Ctx): string;
}

/** For specs: the room as an app composes it, over a known set of runs. */
export function openRoom(database: Database): Room {
  const runs = new Set<string>();
  return {
    rpc: tablesRpcHandlers({
      database,
      cursors: new CursorSigner([{ id: 'k1', secret: 'spec' }]),
      runs: { exists: (ctx, runId) => Promise.resolve(runs.has(`${ctx.orgId} ${ctx.mode} ${runId}`)) },
      appUrl: 'https://app.quarry.example',
    }),
    writer: new TableWriter(database),
    reader: new TableReader(database),
    freezer: new TableFreezer(database),
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
  room: Room,
  ctx: Ctx,
  columns: ColumnJson[],
): Promise<{ workspaceId: string; tableId: string }> {
  const [workspaceId, tableId] = [newId('ws'), newId('tbl')];
  await room.writer.ensureWorkspace(ctx, { id: workspaceId, name: 'Spec' });
  await room.writer.createTable(ctx, { id: tableId, workspaceId, name: 'Leads', columns });
  return { workspaceId, tableId };
}

/** @returns the parsed answer of a call */
export async function json<T = Record<string, unknown>>(answer: Promise<string>): Promise<T> {
  return JSON.parse(await answer) as T;
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
