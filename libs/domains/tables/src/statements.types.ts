// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from '@quarry/postgres';
import type { BigNum, Flag, Num, Text, Texts, Typed } from '@quarry/postgres';

interface StatementTypes {
  'archived-workspaces.deleteExports': Typed<[Text, Text], { '?column?': Num }>;
  'archived-workspaces.deleteFrozen': Typed<[Text, BigNum]>;
  'archived-workspaces.deleteLive': Typed<[Text, BigNum]>;
  'archived-workspaces.deleteRows': Typed<[BigNum, Text], { '?column?': Num }>;
  'archived-workspaces.deleteWorkspace': Typed<[Text, Text]>;
  'archived-workspaces.findArchived': Typed<[Num], { org_id: string; id: string }>;
  'archived-workspaces.findTable': Typed<[Text, Text], { row_set: Text }>;
  'enrichable-rows.choose': Typed<
    [Text, BigNum, Texts, Text, ReadonlyArray<number | null> | null, BigNum],
    { id: Text }
  >;
  'enrichable-rows.markPending': Typed<[Text, BigNum, Texts, Texts, Text]>;
  'enrichable-rows.read': Typed<[Text, BigNum, Texts, Texts], { id: string; values: unknown }>;
  'enrichable-rows.skip': Typed<[Text, BigNum, Texts, Texts, Text]>;
  'enrichable-rows.view': Typed<[Texts, Text, Text], { positions: ReadonlyArray<number | null> }>;
  'erase-from-tables.countErasure.frozen': Typed<[Texts, BigNum]>;
  'erase-from-tables.countErasure.live': Typed<[Texts, BigNum]>;
  'erase-from-tables.deleteExports': Typed<[Texts, Text, Text, Text], { '?column?': Num }>;
  'erase-from-tables.emptyRows': Typed<[BigNum, Text, ReadonlyArray<number | string | null> | null]>;
  'erase-from-tables.headsAbout.frozen.all': Typed<
    [Texts, Texts],
    {
      row_set: string;
      row_count: number;
      run_id: string;
      key: string;
      table_id: Text;
      name: string;
      columns: unknown;
    }
  >;
  'erase-from-tables.headsAbout.frozen.any': Typed<
    [Texts, Texts],
    StatementTypes['erase-from-tables.headsAbout.frozen.all']['row']
  >;
  'erase-from-tables.headsAbout.live.all': Typed<
    [Texts, Texts],
    {
      row_set: string;
      row_count: number;
      run_id: Text;
      key: Text;
      table_id: string;
      name: string;
      columns: unknown;
    }
  >;
  'erase-from-tables.headsAbout.live.any': Typed<
    [Texts, Texts],
    StatementTypes['erase-from-tables.headsAbout.live.all']['row']
  >;
  'erase-from-tables.longerThan': Typed<
    [ReadonlyArray<number | string | null> | null, BigNum],
    { row_set: Text }
  >;
  'erase-from-tables.renameWorkspace': Typed<[Texts, Text, Text]>;
  'erase-from-tables.renameWorkspaceStillCalled': Typed<[Texts, Text, Text, Text], { '?column?': Num }>;
  'erase-from-tables.rowsAbout.all': Typed<
    [ReadonlyArray<number | string | null> | null, Text, BigNum, BigNum, Texts],
    { row_set: string; position: string; cell_values: unknown; cells: unknown; fit: unknown }
  >;
  'erase-from-tables.rowsAbout.any': Typed<
    [ReadonlyArray<number | string | null> | null, Text, BigNum, BigNum, Texts],
    StatementTypes['erase-from-tables.rowsAbout.all']['row']
  >;
  'erase-from-tables.setHead.frozen': Typed<[Texts, BigNum, Text, Text]>;
  'erase-from-tables.setHead.live': Typed<[Texts, BigNum, Text, Text]>;
  'erase-from-tables.tablesOf.frozen': Typed<
    [Texts],
    { row_set: string; row_count: number; run_id: string; key: string; table_id: Text }
  >;
  'erase-from-tables.tablesOf.live': Typed<
    [Texts],
    { row_set: string; row_count: number; run_id: Text; key: Text; table_id: string }
  >;
  'erase-from-tables.workspacesAbout.all': Typed<[Texts, Texts], { id: string; name: string }>;
  'erase-from-tables.workspacesAbout.any': Typed<[Texts, Texts], { id: string; name: string }>;
  'exclusion-matcher.findExcluded': Typed<[Texts, Text, Texts, Texts], { at: Num }>;
  'exclusions.deleteNamed': Typed<[Texts, Text, Texts, Texts], { deleted: Num; found: Num }>;
  'exclusions.dropUnnamed': Typed<[Texts, Text, Text, Texts]>;
  'exclusions.list': Typed<[Texts, BigNum, BigNum, Text], { json: Text }>;
  'exclusions.lockList': Typed<[Text], { pg_advisory_xact_lock: Text }>;
  'exclusions.planSync': Typed<
    [Texts, Text, Texts, Texts, Text],
    { created: Num; deleted: Num; unchanged: Num }
  >;
  'exclusions.upsert': Typed<[Texts, Text, Texts, Texts, Text], { created: Num; updated: Num }>;
  'expired-exports.deleteExpired': Typed<[], { id: string }>;
  'exports.deleteChunks': Typed<[Text, Text]>;
  'exports.head': Typed<
    [Texts, Text],
    { format: 'csv' | 'json'; filename: string; byteLength: string; sha256: Text }
  >;
  'exports.holdLiveUnerased': Typed<[Texts, BigNum, Num], { '?column?': Num }>;
  'exports.holdUnerased': Typed<[Texts, BigNum, Num], { '?column?': Num }>;
  'exports.insertChunk': Typed<[Text, Text, Num, Buffer | null]>;
  'exports.insertHead': Typed<[Texts, Text, Text, Text, Text, Text, Text, BigNum, Buffer | null, Text]>;
  'exports.liveHead': Typed<
    [Texts, Text, Text],
    { workspaceId: string; name: string; columns: unknown; rowSet: string; erasures: number; hasView: Flag }
  >;
  'exports.read': Typed<[Texts, Text, BigNum, BigNum], { data: Buffer | null }>;
  'frozen-tables.findArchived': Typed<[Texts, Text], { '?column?': Num }>;
  'frozen-tables.head': Typed<
    [Texts, Text, Text],
    {
      key: string;
      workspaceId: string;
      name: string;
      columns: unknown;
      rowSet: string;
      rowCount: number;
      qualified: number;
      disqualified: number;
      erasures: number;
    }
  >;
  'frozen-tables.rows': Typed<
    [Texts, Text, Text, BigNum, BigNum],
    { rowCount: Num; id: Text; values: unknown; cells: unknown; fit: unknown }
  >;
  'long-statements.allowLong': Typed<[]>;
  'table-changes.addArchived': Typed<[Texts, Text, Text]>;
  'table-changes.dropColumn': Typed<[Texts, Text, Text]>;
  'table-changes.dropValues': Typed<[Text, BigNum, Text]>;
  'table-changes.moveExports': Typed<[Texts, Text, Text]>;
  'table-changes.moveTable': Typed<[Texts, Text, Text]>;
  'table-changes.rename': Typed<[Texts, Text, Text]>;
  'table-changes.setColumns': Typed<[Texts, Text, Text]>;
  'table-copy.insertTable': Typed<[Texts, Text, Text, Text, Text, Num], { row_set: string }>;
  'table-file.readOneSnapshot': Typed<[]>;
  'table-freezer.find': Typed<[Texts, Text, Text], StatementTypes['frozen-tables.head']['row']>;
  'table-freezer.freezeHead': Typed<[Texts, Text, Text, Text], StatementTypes['frozen-tables.head']['row']>;
  'table-freezer.freezeRows': Typed<[Text, BigNum, BigNum]>;
  'table-head.lock': Typed<
    [Texts, Text],
    {
      id: string;
      workspaceId: string;
      name: string;
      columns: unknown;
      rowSet: string;
      rowCount: number;
      qualified: number;
      disqualified: number;
    }
  >;
  'table-head.read': Typed<[Texts, Text], StatementTypes['table-head.lock']['row']>;
  'table-owner.ofTable': Typed<[Text], { org_id: string }>;
  'table-owner.ofWorkspace': Typed<[Text], { org_id: string }>;
  'table-reader.listNames': Typed<[Texts, Text], { id: string; name: string }>;
  'table-reader.profile': Typed<[Text, BigNum], { key: Text; value: unknown }>;
  'table-reader.readChosen': Typed<
    [Text, BigNum, Texts],
    { id: string; values: unknown; cells: unknown; fit: unknown }
  >;
  'table-reader.readPlaces': Typed<
    [Text, BigNum, ReadonlyArray<number | null> | null, Num],
    { id: string; values: unknown; cells: unknown; fit: unknown; at: Num }
  >;
  'table-reader.readRows': Typed<
    [Text, BigNum, BigNum, BigNum],
    { id: string; values: unknown; cells: unknown; fit: unknown; position: string }
  >;
  'table-reader.viewPlaces': Typed<
    [Texts, Text, Text, Num, Num],
    { count: Num; positions: ReadonlyArray<number | null> | null }
  >;
  'table-views.cell': Typed<[Texts, Text, Text, Text], { value: Text; cell: Text; job_id: Text }>;
  'table-views.forgetOld': Typed<[Texts, Num]>;
  'table-views.insert': Typed<[Texts, Text, Text, BigNum], { json: Text }>;
  'table-views.keepLonger': Typed<[Texts, Text]>;
  'table-views.readHead': Typed<[Texts, Text], { columns: unknown; row_set: string }>;
  'table-views.row': Typed<[Texts, Text, Text], { json: Text }>;
  'table-views.viewWindow': Typed<[Texts, Text, Num, Num, Text], { json: Text; is_use_due: Flag }>;
  'table-views.window': Typed<[Texts, Text, BigNum, BigNum], { json: Text }>;
  'table-writer.addNulls': Typed<[Text, BigNum, Text]>;
  'table-writer.appendRows': Typed<[Texts, Text, BigNum, Text, Text]>;
  'table-writer.arrangeRows': Typed<[Texts, Text, BigNum, Texts]>;
  'table-writer.createTable': Typed<[Texts, Text, Text, Text, Text]>;
  'table-writer.dropRows': Typed<[Text, BigNum]>;
  'table-writer.setColumns': Typed<[Texts, Text, Text]>;
  'table-writer.setFit': Typed<[Texts, Text, BigNum, Text]>;
  'table-writer.skipPending': Typed<[Text, BigNum, Text]>;
  'table-writer.updateRows': Typed<[Texts, BigNum, Text]>;
  'tables.find': Typed<[Texts, BigNum, BigNum, Text, Text], { json: Text }>;
  'tables.get': Typed<[Texts, Text], { json: Text }>;
  'tables.list': Typed<[Texts, BigNum, BigNum, Text], { json: Text }>;
  'tables.rows': Typed<[Texts, Text, BigNum, BigNum], StatementTypes['frozen-tables.rows']['row']>;
  'workspaces.archive': Typed<[Texts, Text], { id: string }>;
  'workspaces.get': Typed<[Texts, Text, Text], { json: Text }>;
  'workspaces.insert': Typed<[Texts, Text, Text]>;
  'workspaces.isOpen': Typed<[Texts, Text], { '?column?': Num }>;
  'workspaces.list': Typed<[Texts, BigNum, BigNum, Text], { json: Text }>;
  'workspaces.lock': Typed<[Texts, Text], { id: string }>;
}

/** Declares a statement of this library, in a constant of its module; its types are written by "npm run generate". */
export const statement = statementsOf<StatementTypes>();
