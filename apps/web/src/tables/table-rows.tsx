import { Link } from '@tanstack/react-router';
import type { Table } from '../api/resources';
import { DataTable } from '../ui/data-table';
import { Ago } from '../ui/ago';
import { formatNumber, timeOfId } from '../ui/format';

interface TableRowsProps {
  readonly tables: readonly Table[];
  /** Names of workspaces by id; left out when all tables are in the same one. */
  readonly nameOf?: ReadonlyMap<string, string>;
}

/** Lists tables, each with a link to it and to its workspace. */
export function TableRows({ tables, nameOf }: TableRowsProps) {
  return (
    <DataTable
      label="Tables"
      rows={tables}
      keyOf={({ id }) => id}
      columns={{
        Name: ({ id, name }) => (
          <Link to="/tables/$tableId" params={{ tableId: id }}>
            {name}
          </Link>
        ),
        Rows: { number: (table) => formatNumber(table.row_count) },
        Fit: { number: ({ fit_counts: { qualified } }) => (qualified > 0 ? formatNumber(qualified) : '') },
        Created: { line: ({ id }) => <Ago at={timeOfId(id)} /> },
        Workspace: nameOf
          ? {
              line: ({ workspace_id: workspaceId }) => (
                <Link to="/workspaces/$workspaceId" params={{ workspaceId }}>
                  {nameOf.get(workspaceId) ?? 'Open'}
                </Link>
              ),
            }
          : null,
        Columns: { number: ({ columns }) => columns.length },
      }}
    />
  );
}
