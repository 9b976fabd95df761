import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { May } from '../api/may';
import { jobsQuery, useServiceTitle } from '../api/queries';
import type { Job } from '../api/resources';
import { Page } from '../shell/page';
import { controls, EmptyState } from '../ui/controls';
import { DataTable, ListResult } from '../ui/data-table';
import { usePages } from '../ui/pager';
import { Ago } from '../ui/ago';
import { formatNumber } from '../ui/format';
import { batchesOfJobs } from './batches-of-jobs';
import { JobBadge } from './job-badge';

/** Jobs, of which a batch has a hundred at most. */
const PAGE = 1000;

export function BatchesPage() {
  const pages = usePages<number>('batches');
  const offset = pages.position ?? 0;
  const batches = useQuery({ ...jobsQuery(offset, PAGE), select: (jobs) => batchesOfJobs(jobs, offset) });
  const titleOf = useServiceTitle();
  return (
    <Page
      title="Batches"
      intro="Groups of slow lookups, one job per input, started by runs, columns or the API. To look up your own list, import or paste it as a table and add a column."
      actions={
        <May task="change">
          <Link to="/services" className={controls.button}>
            Start from a service
          </Link>
        </May>
      }
    >
      <ListResult
        query={batches}
        pages={pages}
        empty={
          <EmptyState
            title="No batches yet"
            action={
              <May task="change">
                <Link to="/services/$name" params={{ name: 'getEmail' }}>
                  Find work e-mails
                </Link>
              </May>
            }
          >
            A batch looks up e-mails, phone numbers, or answers on the web for up to 100 inputs at once.
          </EmptyState>
        }
      >
        {(items) => (
          <DataTable
            label="Batches"
            rows={items}
            keyOf={({ id }) => id}
            columns={{
              Service: ({ id, service }) => (
                <Link to="/batches/$batchId" params={{ batchId: id }}>
                  {titleOf(service)}
                </Link>
              ),
              Jobs: ({ counts }) => (
                <div className={controls.row}>
                  {Object.entries(counts).map(([status, count]) => (
                    <JobBadge key={status} status={status as Job['status']} count={formatNumber(count)} />
                  ))}
                </div>
              ),
              Started: { line: ({ createdAt }) => <Ago at={createdAt} /> },
            }}
          />
        )}
      </ListResult>
    </Page>
  );
}
