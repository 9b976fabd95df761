import { newId } from '@quarry/platform';
import type { ExclusionPort, TableWriterPort, WorkspacePort } from '@quarry/runs';
import type { TablesPart } from './tables-part.js';

// Enough values to tell the columns of a table apart by what they hold.
const PROFILE_VALUES_MAX = 1000;
/** Rows that a profile looks at; beyond them it cannot claim to know every value. */
const PROFILE_ROWS_MAX = 10_000;

/** Gives the runs room its tables. */
export function tableWriterAdapter({ writer, reader, freezer }: TablesPart): TableWriterPort {
  return {
    createTable: (ctx, table) => writer.createTable(ctx, table),
    appendRows: async (ctx, tableId, rows) => void (await writer.appendRows(ctx, tableId, rows)),
    updateRows: (ctx, tableId, updates) => writer.updateRows(ctx, tableId, updates),
    setFit: (ctx, tableId, fits) => writer.setFit(ctx, tableId, fits),
    readRows: (ctx, tableId) => reader.readRows(ctx, tableId),
    listNames: (ctx, workspaceId) => reader.listNames(ctx, workspaceId),
    getTable: (ctx, tableId) => reader.getTable(ctx, tableId),
    profile: async (ctx, tableId) => {
      const { id, name, columns, rowCount, distinctValues } = await reader.profile(
        ctx,
        tableId,
        PROFILE_VALUES_MAX,
      );
      const values = Object.entries(distinctValues).map(([key, values]) => {
        const isComplete = values.length < PROFILE_VALUES_MAX && rowCount <= PROFILE_ROWS_MAX;
        return [key, { values: values.map(({ value }) => String(value)), isComplete }] as const;
      });
      return { id, name, columns, rowCount, values: Object.fromEntries(values) };
    },
    freeze: (tx, frozen) => freezer.freeze(tx, frozen),
  };
}

/** Gives the runs room its workspaces. */
export function workspaceAdapter({ writer }: TablesPart): WorkspacePort {
  return {
    createWorkspace: async (tx, name) => {
      const id = newId('ws');
      await writer.ensureWorkspace(tx, { id, name });
      return id;
    },
    workspaceExists: (ctx, workspaceId) => writer.isWorkspaceOpen(ctx, workspaceId),
  };
}

/** Gives whoever sources companies or people the organisation's exclusion lists. */
export function exclusionAdapter({ exclusions }: Pick<TablesPart, 'exclusions'>): ExclusionPort {
  return {
    excludedAmong: async (ctx, kind, candidates) => {
      const asked = candidates.map(({ domain, linkedin_url: linkedinUrl }) => ({
        domain: domain ?? null,
        linkedinUrl: linkedinUrl ?? null,
      }));
      const excluded = await exclusions.areExcluded(ctx, kind, asked);
      return new Set(excluded.flatMap((isExcluded, i) => (isExcluded ? [i] : [])));
    },
  };
}
