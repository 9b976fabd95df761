import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { May } from '../api/may';
import { tablesQuery, workspacesQuery } from '../api/queries';
import type { Workspace } from '../api/resources';
import { Page } from '../shell/page';
import { Button, EmptyState, QueryResult, TextField } from '../ui/controls';
import { ListResult } from '../ui/data-table';
import { useEntryState } from '../ui/entry-state';
import { usePages } from '../ui/pager';
import { useSettled } from '../ui/use-settled';
import { ImportDialog } from './import-dialog';
import { TableRows } from './table-rows';

const PAGE = 50;

export function TablesPage() {
  const workspaces = useQuery(workspacesQuery());
  const [isImporting, setImporting] = useState(false);
  return (
    <Page
      title="Tables"
      intro="Tables from your runs and your imports."
      actions={
        <May task="change">
          <Button look="primary" onClick={() => setImporting(true)}>
            Import
          </Button>
        </May>
      }
    >
      <QueryResult query={workspaces}>{({ items }) => <TableList workspaces={items} />}</QueryResult>
      {isImporting && workspaces.data && (
        <ImportDialog workspaces={workspaces.data.items} onClose={() => setImporting(false)} />
      )}
    </Page>
  );
}

/** The tables of all workspaces in one list, the newest first. */
function TableList({ workspaces }: { workspaces: readonly Workspace[] }) {
  const pages = usePages<number>('tables');
  const [text, setText] = useEntryState('search', '');
  const searched = useSettled(text.trim());
  const tables = useQuery(tablesQuery(pages.position ?? 0, PAGE, searched));
  const isSearched = text !== '' || searched !== '' || tables.isPlaceholderData;
  const nameOf = new Map(workspaces.map(({ id, name }) => [id, name]));
  return (
    <>
      {(isSearched || (tables.data?.items.length ?? 0) > 0) && (
        <TextField
          label="Search by name"
          type="search"
          maxLength={200}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            pages.toFirst();
          }}
        />
      )}
      <ListResult
        query={tables}
        pages={pages}
        empty={
          isSearched ? (
            <EmptyState title="Nothing matches" />
          ) : (
            <May task="change" otherwise={<EmptyState title="No tables yet" />}>
              <EmptyState title="No tables yet" action={<Link to="/runs">Start a run</Link>}>
                Runs create tables; “Import” takes a CSV or XLSX file, or pasted rows.
              </EmptyState>
            </May>
          )
        }
      >
        {(items) => <TableRows tables={items} nameOf={nameOf} />}
      </ListResult>
    </>
  );
}
