// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from '@quarry/postgres';

interface StatementTypes {
  'archived-workspaces.deleteExports': {
    params: readonly [string | null, string | null];
    row: { '?column?': number | null };
  };
  'archived-workspaces.deleteFrozen': {
    params: readonly [string | null, number | string | null];
    row: Record<never, unknown>;
  };
  'archived-workspaces.deleteLive': {
    params: readonly [string | null, number | string | null];
    row: Record<never, unknown>;
  };
  'archived-workspaces.deleteRows': {
    params: readonly [number | string | null, string | null];
    row: { '?column?': number | null };
  };
  'archived-workspaces.deleteWorkspace': {
    params: readonly [string | null, string | null];
    row: Record<never, unknown>;
  };
  'archived-workspaces.findArchived': {
    params: readonly [number | null];
    row: { org_id: string; id: string };
  };
  'archived-workspaces.findTable': {
    params: readonly [string | null, string | null];
    row: { row_set: string | null };
  };
  'enrichable-rows.choose': {
    params: readonly [
      string | null,
      number | string | null,
      ReadonlyArray<string | null> | null,
      string | null,
      ReadonlyArray<number | null> | null,
      number | string | null,
    ];
    row: { id: string | null };
  };
  'enrichable-rows.markPending': {
    params: readonly [
      string | null,
      number | string | null,
      ReadonlyArray<string | null> | null,
      ReadonlyArray<string | null> | null,
      string | null,
    ];
    row: Record<never, unknown>;
  };
  'enrichable-rows.read': {
    params: readonly [string | null, number | string | null, ReadonlyArray<string | null> | null];
    row: { id: string; values: unknown };
  };
  'enrichable-rows.skip': {
    params: readonly [
      string | null,
      number | string | null,
      ReadonlyArray<string | null> | null,
      ReadonlyArray<string | null> | null,
      string | null,
    ];
    row: Record<never, unknown>;
  };
  'enrichable-rows.view': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: { positions: ReadonlyArray<number | null> };
  };
  'erase-from-tables.countErasure.frozen': {
    params: readonly [ReadonlyArray<string | null> | null, number | string | null];
    row: Record<never, unknown>;
  };
  'erase-from-tables.countErasure.live': {
    params: readonly [ReadonlyArray<string | null> | null, number | string | null];
    row: Record<never, unknown>;
  };
  'erase-from-tables.deleteExports': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null, string | null];
    row: { '?column?': number | null };
  };
  'erase-from-tables.emptyRows': {
    params: readonly [number | string | null, string | null, ReadonlyArray<number | string | null> | null];
    row: Record<never, unknown>;
  };
  'erase-from-tables.headsAbout.frozen.all': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: {
      row_set: string;
      run_id: string;
      key: string;
      table_id: string | null;
      name: string;
      columns: unknown;
    };
  };
  'erase-from-tables.headsAbout.frozen.any': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: {
      row_set: string;
      run_id: string;
      key: string;
      table_id: string | null;
      name: string;
      columns: unknown;
    };
  };
  'erase-from-tables.headsAbout.live.all': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: {
      row_set: string;
      run_id: string | null;
      key: string | null;
      table_id: string;
      name: string;
      columns: unknown;
    };
  };
  'erase-from-tables.headsAbout.live.any': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: {
      row_set: string;
      run_id: string | null;
      key: string | null;
      table_id: string;
      name: string;
      columns: unknown;
    };
  };
  'erase-from-tables.lastPosition': {
    params: readonly [number | string | null];
    row: { position: string | null };
  };
  'erase-from-tables.renameWorkspace': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: Record<never, unknown>;
  };
  'erase-from-tables.renameWorkspaceStillCalled': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null, string | null];
    row: { '?column?': number | null };
  };
  'erase-from-tables.rowsAbout.all': {
    params: readonly [
      number | string | null,
      string | null,
      number | string | null,
      number | string | null,
      ReadonlyArray<string | null> | null,
    ];
    row: { position: string; cell_values: unknown; cells: unknown; fit: unknown };
  };
  'erase-from-tables.rowsAbout.any': {
    params: readonly [
      number | string | null,
      string | null,
      number | string | null,
      number | string | null,
      ReadonlyArray<string | null> | null,
    ];
    row: { position: string; cell_values: unknown; cells: unknown; fit: unknown };
  };
  'erase-from-tables.setHead.frozen': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      number | string | null,
      string | null,
      string | null,
    ];
    row: Record<never, unknown>;
  };
  'erase-from-tables.setHead.live': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      number | string | null,
      string | null,
      string | null,
    ];
    row: Record<never, unknown>;
  };
  'erase-from-tables.tablesOf.frozen': {
    params: readonly [ReadonlyArray<string | null> | null];
    row: { row_set: string; run_id: string; key: string; table_id: string | null };
  };
  'erase-from-tables.tablesOf.live': {
    params: readonly [ReadonlyArray<string | null> | null];
    row: { row_set: string; run_id: string | null; key: string | null; table_id: string };
  };
  'erase-from-tables.workspacesAbout.all': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: { id: string; name: string };
  };
  'erase-from-tables.workspacesAbout.any': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: { id: string; name: string };
  };
  'exclusion-matcher.findExcluded': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      ReadonlyArray<string | null> | null,
      ReadonlyArray<string | null> | null,
    ];
    row: { at: number | null };
  };
  'exclusions.deleteNamed': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      ReadonlyArray<string | null> | null,
      ReadonlyArray<string | null> | null,
    ];
    row: { deleted: number | null; found: number | null };
  };
  'exclusions.dropUnnamed': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      ReadonlyArray<string | null> | null,
    ];
    row: Record<never, unknown>;
  };
  'exclusions.list': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      number | string | null,
      number | string | null,
      string | null,
    ];
    row: { json: string | null };
  };
  'exclusions.lockList': { params: readonly [string | null]; row: { pg_advisory_xact_lock: string | null } };
  'exclusions.planSync': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      ReadonlyArray<string | null> | null,
      ReadonlyArray<string | null> | null,
      string | null,
    ];
    row: { created: number | null; deleted: number | null; unchanged: number | null };
  };
  'exclusions.upsert': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      ReadonlyArray<string | null> | null,
      ReadonlyArray<string | null> | null,
      string | null,
    ];
    row: { created: number | null; updated: number | null };
  };
  'expired-exports.deleteExpired': { params: readonly []; row: { id: string } };
  'exports.deleteChunks': { params: readonly [string | null, string | null]; row: Record<never, unknown> };
  'exports.head': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { format: 'csv' | 'json'; filename: string; byteLength: string; sha256: string | null };
  };
  'exports.holdLiveUnerased': {
    params: readonly [ReadonlyArray<string | null> | null, number | string | null, number | null];
    row: { '?column?': number | null };
  };
  'exports.holdUnerased': {
    params: readonly [ReadonlyArray<string | null> | null, number | string | null, number | null];
    row: { '?column?': number | null };
  };
  'exports.insertChunk': {
    params: readonly [string | null, string | null, number | null, Buffer | null];
    row: Record<never, unknown>;
  };
  'exports.insertHead': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      number | string | null,
      Buffer | null,
      string | null,
    ];
    row: Record<never, unknown>;
  };
  'exports.liveHead': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: {
      workspaceId: string;
      name: string;
      columns: unknown;
      rowSet: string;
      erasures: number;
      hasView: boolean | null;
    };
  };
  'exports.read': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      number | string | null,
      number | string | null,
    ];
    row: { data: Buffer | null };
  };
  'frozen-tables.findArchived': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { '?column?': number | null };
  };
  'frozen-tables.head': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: {
      key: string;
      workspaceId: string;
      name: string;
      columns: unknown;
      rowSet: string;
      rowCount: number;
      qualified: number;
      disqualified: number;
      erasures: number;
    };
  };
  'frozen-tables.rows': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      number | string | null,
      number | string | null,
    ];
    row: { rowCount: number | null; id: string | null; values: unknown; cells: unknown; fit: unknown };
  };
  'long-statements.allowLong': { params: readonly []; row: Record<never, unknown> };
  'table-copy.insertTable': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      string | null,
      number | null,
    ];
    row: { row_set: string };
  };
  'table-file.readOneSnapshot': { params: readonly []; row: Record<never, unknown> };
  'table-freezer.find': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: {
      key: string;
      workspaceId: string;
      name: string;
      columns: unknown;
      rowSet: string;
      rowCount: number;
      qualified: number;
      disqualified: number;
      erasures: number;
    };
  };
  'table-freezer.freezeHead': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      string | null,
    ];
    row: {
      key: string;
      workspaceId: string;
      name: string;
      columns: unknown;
      rowSet: string;
      rowCount: number;
      qualified: number;
      disqualified: number;
      erasures: number;
    };
  };
  'table-freezer.freezeRows': {
    params: readonly [string | null, number | string | null, number | string | null];
    row: Record<never, unknown>;
  };
  'table-freezer.insertHead': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      number | null,
    ];
    row: {
      key: string;
      workspaceId: string;
      name: string;
      columns: unknown;
      rowSet: string;
      rowCount: number;
      qualified: number;
      disqualified: number;
      erasures: number;
    };
  };
  'table-freezer.insertRows': {
    params: readonly [string | null, number | string | null, string | null, string | null];
    row: Record<never, unknown>;
  };
  'table-head.lock': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: {
      id: string;
      workspaceId: string;
      name: string;
      columns: unknown;
      rowSet: string;
      rowCount: number;
      qualified: number;
      disqualified: number;
    };
  };
  'table-head.read': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: {
      id: string;
      workspaceId: string;
      name: string;
      columns: unknown;
      rowSet: string;
      rowCount: number;
      qualified: number;
      disqualified: number;
    };
  };
  'table-owner.ofTable': { params: readonly [string | null]; row: { org_id: string } };
  'table-owner.ofWorkspace': { params: readonly [string | null]; row: { org_id: string } };
  'table-reader.listNames': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { id: string; name: string };
  };
  'table-reader.profile': {
    params: readonly [string | null, number | string | null, number | string | null];
    row: { key: string | null; value: unknown; count: number | null };
  };
  'table-reader.readChosen': {
    params: readonly [string | null, number | string | null, ReadonlyArray<string | null> | null];
    row: { id: string; values: unknown; cells: unknown; fit: unknown };
  };
  'table-reader.readPlaces': {
    params: readonly [
      string | null,
      number | string | null,
      ReadonlyArray<number | null> | null,
      number | null,
    ];
    row: { id: string; values: unknown; cells: unknown; fit: unknown; at: number | null };
  };
  'table-reader.readRows': {
    params: readonly [string | null, number | string | null, number | string | null, number | string | null];
    row: { id: string; values: unknown; cells: unknown; fit: unknown; position: string };
  };
  'table-reader.viewPlaces': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      number | null,
      number | null,
    ];
    row: { count: number | null; positions: ReadonlyArray<number | null> | null };
  };
  'table-views.cell': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null, string | null];
    row: { value: string | null; cell: string | null; job_id: string | null };
  };
  'table-views.forgetOld': {
    params: readonly [ReadonlyArray<string | null> | null, number | null];
    row: Record<never, unknown>;
  };
  'table-views.insert': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      number | string | null,
    ];
    row: { json: string | null };
  };
  'table-views.keepLonger': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: Record<never, unknown>;
  };
  'table-views.readHead': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { columns: unknown; row_set: string };
  };
  'table-views.row': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: { json: string | null };
  };
  'table-views.viewWindow': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      number | null,
      number | null,
      string | null,
    ];
    row: { json: string | null; is_use_due: boolean | null };
  };
  'table-views.window': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      number | string | null,
      number | string | null,
    ];
    row: { json: string | null };
  };
  'table-writer.addNulls': {
    params: readonly [string | null, number | string | null, string | null];
    row: Record<never, unknown>;
  };
  'table-writer.appendRows': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      number | string | null,
      string | null,
      string | null,
    ];
    row: { added: number | null };
  };
  'table-writer.arrangeRows': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      number | string | null,
      ReadonlyArray<string | null> | null,
    ];
    row: Record<never, unknown>;
  };
  'table-writer.createTable': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      string | null,
    ];
    row: Record<never, unknown>;
  };
  'table-writer.dropRows': {
    params: readonly [string | null, number | string | null];
    row: Record<never, unknown>;
  };
  'table-writer.setColumns': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: Record<never, unknown>;
  };
  'table-writer.setFit': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      number | string | null,
      string | null,
    ];
    row: Record<never, unknown>;
  };
  'table-writer.skipPending': {
    params: readonly [string | null, number | string | null, string | null];
    row: Record<never, unknown>;
  };
  'table-writer.updateRows': {
    params: readonly [ReadonlyArray<string | null> | null, number | string | null, string | null];
    row: Record<never, unknown>;
  };
  'tables.find': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      number | string | null,
      number | string | null,
      string | null,
      string | null,
    ];
    row: { json: string | null };
  };
  'tables.get': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { json: string | null };
  };
  'tables.list': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      number | string | null,
      number | string | null,
      string | null,
    ];
    row: { json: string | null };
  };
  'tables.rows': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      number | string | null,
      number | string | null,
    ];
    row: { rowCount: number | null; id: string | null; values: unknown; cells: unknown; fit: unknown };
  };
  'workspaces.archive': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { id: string };
  };
  'workspaces.get': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: { json: string | null };
  };
  'workspaces.insert': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: Record<never, unknown>;
  };
  'workspaces.isOpen': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { '?column?': number | null };
  };
  'workspaces.list': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      number | string | null,
      number | string | null,
      string | null,
    ];
    row: { json: string | null };
  };
  'workspaces.lock': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { id: string };
  };
}

/** Declares a statement of this library, in a constant of its module; its types are written by "npm run generate". */
export const statement = statementsOf<StatementTypes>();
