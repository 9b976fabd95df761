import { Link } from '@tanstack/react-router';
import type { Table } from '../api/resources';
import { controls, DataTable } from '../ui/controls';
import { formatAgo, formatNumber, timeOfId } from '../ui/format';

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
      head={
        <>
          <th>Name</th>
          <th className={controls.number}>Rows</th>
          <th className={controls.number}>Fit</th>
          <th>Created</th>
          {nameOf && <th>Workspace</th>}
          <th className={controls.number}>Columns</th>
        </>
      }
    >
      {tables.map(({ id, workspace_id: workspaceId, name, row_count: rows, fit_counts: fit, columns }) => (
        <tr key={id}>
          <td>
            <Link to="/tables/$tableId" params={{ tableId: id }}>
              {name}
            </Link>
          </td>
          <td className={controls.number}>{formatNumber(rows)}</td>
          <td className={controls.number}>{fit.qualified > 0 ? formatNumber(fit.qualified) : ''}</td>
          <td className={controls.line}>{formatAgo(timeOfId(id))}</td>
          {nameOf && (
            <td className={controls.line}>
              <Link to="/workspaces/$workspaceId" params={{ workspaceId }}>
                {nameOf.get(workspaceId) ?? 'Open'}
              </Link>
            </td>
          )}
          <td className={controls.number}>{columns.length}</td>
        </tr>
      ))}
    </DataTable>
  );
}
