import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { callApi } from '../api/http';
import { May } from '../api/may';
import {
  refreshQueries,
  sendingSequenceQuery,
  workspaceQuery,
  workspaceRunsQuery,
  workspaceTablesQuery,
} from '../api/queries';
import type { Workspace } from '../api/resources';
import { RunList } from '../runs/run-list';
import { AddressedResult } from '../shell/other-mode';
import { Page } from '../shell/page';
import { ConfirmButton, controls, EmptyState, ErrorNotice, Notice, QueryResult } from '../ui/controls';
import { ListResult } from '../ui/data-table';
import { formatDay } from '../ui/format';
import { usePages } from '../ui/pager';
import { showToast } from '../ui/toasts';
import { TableRows } from './table-rows';

/** A workspace: its tables and runs, and the button to archive it. */
export function WorkspacePage() {
  const { workspaceId } = useParams({ from: '/shell/workspaces/$workspaceId' });
  const workspace = useQuery(workspaceQuery(workspaceId));
  return (
    <AddressedResult query={workspace} wayOut={<Link to="/tables">Back to tables</Link>}>
      {(found) => <Opened workspace={found} />}
    </AddressedResult>
  );
}

function Opened({ workspace: { id, name, created_at: at } }: { workspace: Workspace }) {
  const navigate = useNavigate();
  const tables = useQuery(workspaceTablesQuery(id));
  const runPages = usePages<number>('runs');
  const runs = useQuery(workspaceRunsQuery(id, runPages.position ?? 0));
  const isSending = (useQuery(sendingSequenceQuery()).data?.items.length ?? 0) > 0;
  const archive = useMutation({
    mutationFn: () => callApi(`/v1/workspaces/${id}`, { method: 'DELETE' }),
    onSuccess: async () => {
      showToast(`“${name}” is archived.`);
      // Before queries are refreshed: this page would get a 404.
      if (location.pathname.endsWith(id)) await navigate({ to: '/tables' });
      refreshQueries('workspaces', 'tables', 'runs', 'monitors');
    },
  });
  return (
    <Page
      title={name}
      intro={`Workspace, created ${formatDay(at)}. Archiving removes its tables and runs permanently, and ends its runs and monitors.`}
      actions={
        <May task="change">
          <ConfirmButton
            label="Archive"
            confirmLabel="Archive permanently, with its tables and runs"
            isBusy={archive.isPending}
            onConfirm={() => archive.mutate()}
          />
        </May>
      }
    >
      <ErrorNotice error={archive.error} />
      {isSending && (
        <Notice look="amber" action={<Link to="/sequences">Go to sequences</Link>}>
          Sequences continue when a workspace is archived, including those that write to people of its tables.
          Pause those first.
        </Notice>
      )}
      <section className={controls.stack}>
        <h2>Tables</h2>
        <QueryResult query={tables}>
          {({ items }) =>
            items.length === 0 ? <EmptyState title="No tables" /> : <TableRows tables={items} />
          }
        </QueryResult>
      </section>
      <section className={controls.stack}>
        <h2>Runs</h2>
        <ListResult query={runs} pages={runPages} empty={<EmptyState title="No runs" />}>
          {(items) => <RunList runs={items} />}
        </ListResult>
      </section>
    </Page>
  );
}
