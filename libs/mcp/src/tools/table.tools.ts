import { TABLES_RPC } from '@quarry/dto';
import { requireId } from '@quarry/platform';
import { z } from 'zod';
import { fitting } from '../answer-size.js';
import { defineTool, EFFECTS } from '../tool.js';
import { args, cursor, id, limit } from './arguments.js';

interface Column {
  key: string;
  [field: string]: unknown;
}

/** A table as routes answer it. */
interface Table {
  id: string;
  workspace_id: string;
  name: string;
  columns: Column[];
  row_count: number;
  fit_counts: Record<string, number>;
}

export const tableList = defineTool({
  name: 'table_list',
  title: 'List tables',
  description:
    'Lists the tables of a workspace, or of all workspaces, the newest first, with their counts and the keys of their columns. table_get tells more of one, table_rows_get reads its rows.',
  input: args({
    workspace_id: id('Only the tables of this workspace.').optional(),
    query: z.string().min(1).max(200).optional().describe('Part of the name.'),
    limit: limit(100, 25),
    cursor,
  }),
  output: null,
  effects: EFFECTS.reads,
  rateClass: 'reads',
  style: 'resources',
  charge: 'free',
  spend: null,
  async run({ workspace_id: workspace, query, limit: most, cursor: from }, call) {
    const of = { workspaceId: workspace === undefined ? null : requireId('ws', workspace), q: query ?? null };
    const offset = call.cursors.position(call.ctx, 'table_list', of, from);
    const page = await call.read(TABLES_RPC.findTables, { ...of, limit: most, offset });
    const tables = (page.items as Table[]).map(({ columns, ...table }) => ({
      ...shownTable({ ...table, columns }),
      columns: columns.map(({ key }) => key),
    }));
    const shown = tables.slice(0, fitting(tables, {}));
    const isLast = shown.length === tables.length && page.next_offset === null;
    return {
      items: shown,
      next_cursor: isLast ? null : call.cursors.at(call.ctx, 'table_list', of, offset + shown.length),
    };
  },
});

/** @returns a table as tools show it: ids named for the arguments that take them */
export function shownTable({ id: tableId, workspace_id, name, columns, row_count, fit_counts }: Table) {
  return { table_id: tableId, workspace_id, name, columns, row_count, fit_counts };
}
