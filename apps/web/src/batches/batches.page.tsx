import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { May } from '../api/may';
import { jobsQuery, useServiceTitle } from '../api/queries';
import type { Job } from '../api/resources';
import { Page } from '../shell/page';
import { Button, controls, DataTable, EmptyState, QueryResult } from '../ui/controls';
import { formatAgo, formatNumber } from '../ui/format';
import { JobBadge } from './job-badge';

const PAGE = 200;

interface BatchOfJobs {
  readonly id: string;
  readonly service: string;
  readonly createdAt: string;
  readonly counts: Readonly<Partial<Record<Job['status'], number>>>;
}

/** @returns the batches of the jobs, each with the link to read it, in the order of the list */
function batchesOf(jobs: readonly Job[]): BatchOfJobs[] {
  const batches = new Map<string, BatchOfJobs>();
  for (const { poll_url: address, service, created_at: createdAt, status } of jobs) {
    const id = address.split('/').at(-1) ?? address;
    const { counts = {} } = batches.get(id) ?? {};
    batches.set(id, { id, service, createdAt, counts: { ...counts, [status]: (counts[status] ?? 0) + 1 } });
  }
  return [...batches.values()];
}

export function BatchesPage() {
  const [offset, setOffset] = useState(0);
  const jobs = useQuery(jobsQuery(offset, PAGE));
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
      <QueryResult query={jobs}>
        {({ items, next_offset: next }) =>
          items.length === 0 && offset === 0 ? (
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
          ) : (
            <>
              <DataTable
                label="Batches"
                head={
                  <>
                    <th>Service</th>
                    <th>Jobs</th>
                    <th>Started</th>
                  </>
                }
              >
                {batchesOf(items).map(({ id, service, createdAt, counts }) => (
                  <tr key={id}>
                    <td>
                      <Link to="/batches/$batchId" params={{ batchId: id }}>
                        {titleOf(service)}
                      </Link>
                    </td>
                    <td>
                      <div className={controls.row}>
                        {Object.entries(counts).map(([status, count]) => (
                          <JobBadge
                            key={status}
                            status={status as Job['status']}
                            count={formatNumber(count)}
                          />
                        ))}
                      </div>
                    </td>
                    <td className={controls.line}>{formatAgo(createdAt)}</td>
                  </tr>
                ))}
              </DataTable>
              <div className={controls.row}>
                {offset > 0 && <Button onClick={() => setOffset(offset - PAGE)}>Newer</Button>}
                {next !== null && <Button onClick={() => setOffset(next)}>Older</Button>}
              </div>
            </>
          )
        }
      </QueryResult>
    </Page>
  );
}
