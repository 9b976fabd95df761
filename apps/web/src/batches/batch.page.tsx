import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { callApi, callOnce } from '../api/http';
import { May } from '../api/may';
import { batchQuery, refreshQueries, useServiceTitle } from '../api/queries';
import type { Batch, JobLine, Table } from '../api/resources';
import { useAction } from '../api/use-action';
import { AddressedResult } from '../shell/other-mode';
import { Page } from '../shell/page';
import { ensureImportsWorkspace } from '../tables/imports-workspace';
import { valueText } from '../tables/value-text';
import { Button, controls, ErrorNotice, Notice } from '../ui/controls';
import { DataTable } from '../ui/data-table';
import { formatCount, formatDuration } from '../ui/format';
import { answersTable } from './answers-table';
import { errorInWords, JobBadge } from './job-badge';
import { rememberedInputs, useStartBatch } from './start-batch';

export function BatchPage() {
  const { batchId } = useParams({ from: '/shell/batches/$batchId' });
  const batch = useQuery(batchQuery(batchId));
  return (
    <AddressedResult query={batch} wayOut={<Link to="/batches">Back to batches</Link>}>
      {(data) => <BatchView batch={data} />}
    </AddressedResult>
  );
}

function BatchView({ batch }: { batch: Batch }) {
  const isOver = batch.status === 'completed';
  const titleOf = useServiceTitle();
  const stop = useMutation({
    mutationFn: () =>
      callApi(`/v1/services/jobs/batch/${batch.batch_id}/cancel`, { method: 'POST', body: {} }),
    onSuccess: () => refreshQueries('batch', 'jobs', 'balance'),
  });
  const again = useStartBatch();
  const navigate = useNavigate();
  const inputs = rememberedInputs(batch.batch_id);
  const keep = useAction({
    mutationFn: async () => {
      const body = { name: titleOf(batch.service), ...answersTable(batch, inputs) };
      return callOnce<Table>(`/v1/workspaces/${await ensureImportsWorkspace()}/tables`, body);
    },
    onSuccess: () => refreshQueries('tables'),
    onDone: ({ id }) => void navigate({ to: '/tables/$tableId', params: { tableId: id } }),
  });
  const failed = batch.jobs.filter(({ status, error }) => status === 'failed' && error?.retryable !== false);
  return (
    <Page
      title={`${titleOf(batch.service)}, ${formatCount(batch.size, 'input')}`}
      intro={
        <span className={controls.row}>
          {(Object.entries(batch.counts) as Array<[JobLine['status'], number]>)
            .filter(([, count]) => count > 0)
            .map(([status, count]) => (
              <JobBadge key={status} status={status} count={String(count)} />
            ))}
        </span>
      }
      actions={
        <May task="change">
          {!isOver && (
            <Button look="danger" isBusy={stop.isPending} onClick={() => stop.mutate()}>
              Cancel waiting jobs
            </Button>
          )}
          {isOver && failed.length > 0 && inputs && (
            <Button
              look="primary"
              isBusy={again.isPending}
              onClick={() =>
                again.mutate({
                  service: batch.service,
                  inputs: failed.flatMap(({ input_index: index }) => (inputs[index] ? [inputs[index]] : [])),
                })
              }
            >
              Retry failed jobs
            </Button>
          )}
          {isOver && batch.jobs.some(({ result }) => result) && (
            <Button isBusy={keep.isPending} onClick={() => keep.mutate()}>
              Create a table
            </Button>
          )}
        </May>
      }
    >
      <ErrorNotice error={stop.error ?? again.error ?? keep.error} />
      {batch.jobs.some(({ status, result }) => status === 'completed' && result === null) && (
        <Notice>
          Some answers of this batch were deleted. Answers are kept for 30 days, or until their person is
          erased.
        </Notice>
      )}
      <DataTable
        label="Jobs"
        rows={batch.jobs}
        keyOf={(job) => job.input_index}
        columns={{
          '#': { number: (job) => job.input_index + 1 },
          Input: inputs ? (job) => valueText(inputs[job.input_index]) : null,
          Status: ({ status, reused }) => (
            <>
              <JobBadge status={status} />
              {reused && <span className={controls.muted}> reused, free</span>}
            </>
          ),
          Answer: (job) => <JobAnswer job={job} />,
          Time: {
            number: ({ started_at: from, completed_at: to }) =>
              from && to && formatDuration(Date.parse(to) - Date.parse(from)),
          },
        }}
      />
    </Page>
  );
}

function JobAnswer({ job }: { job: JobLine }) {
  if (job.error)
    return (
      <>
        {errorInWords(job.error)} <code className={controls.muted}>{job.error.code}</code>
      </>
    );
  if (!job.result) return null;
  const facts = Object.entries(job.result).filter(
    ([name, value]) => name !== 'found' && value !== null && valueText(value) !== '',
  );
  if (job.result.found === false) return <span className={controls.muted}>Nothing found</span>;
  return (
    <details>
      <summary>
        {facts
          .slice(0, 2)
          .map(([key, value]) => valueText(value, { key }))
          .join(' · ')
          .slice(0, 120)}
      </summary>
      <pre>{JSON.stringify(job.result, null, 2)}</pre>
    </details>
  );
}
