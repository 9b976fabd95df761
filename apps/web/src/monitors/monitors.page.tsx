import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { callApi, callOnce } from '../api/http';
import { May, useMay } from '../api/may';
import { monitorRunsQuery, monitorsQuery, refreshQueries } from '../api/queries';
import type { Monitor, MonitorRun } from '../api/resources';
import { useAction } from '../api/use-action';
import { Page } from '../shell/page';
import {
  Badge,
  Button,
  ConfirmButton,
  controls,
  DataTable,
  EmptyState,
  ErrorNotice,
  QueryResult,
  type BadgeLook,
} from '../ui/controls';
import { Dialog } from '../ui/dialog';
import { formatAgo, formatCount, formatCredits, formatField, formatNumber, formatTime } from '../ui/format';
import { Pager, useCursorPages } from '../ui/pager';
import { showToast } from '../ui/toasts';
import { describeSchedule } from './schedule';

const PAUSES: Readonly<Record<NonNullable<Monitor['pause_reason']>, string>> = {
  requested: 'paused',
  budget: 'paused: its budget does not cover a row',
  credits: 'paused: not enough credits for a row',
  failures: 'paused: three runs failed',
  key_revoked: 'paused: its key was revoked',
  workspace_archived: 'paused: its workspace was archived',
};
const ENDS: Readonly<Record<MonitorRun['status'], readonly [BadgeLook, string]>> = {
  working: ['busy', 'working'],
  completed: ['good', 'completed'],
  failed: ['bad', 'failed'],
  cancelled: ['plain', 'stopped'],
  overlapped: ['plain', 'skipped: the previous run was still working'],
  skipped: ['warn', 'skipped'],
};

/** Shows monitors, and what each has reported. */
export function MonitorsPage() {
  const monitors = useQuery(monitorsQuery());
  const [openedId, setOpenedId] = useState<string | null>(null);
  const opened = monitors.data?.items.find(({ id }) => id === openedId);
  return (
    <Page
      title="Monitors"
      intro="Plans that run on a schedule. Each run reports, and pays for, only what is new."
      actions={
        <May task="change">
          <Link to="/runs" className={controls.button}>
            New monitor
          </Link>
        </May>
      }
    >
      <QueryResult query={monitors}>
        {({ items }) =>
          items.length === 0 ? (
            <May task="change" otherwise={<EmptyState title="No monitors yet" />}>
              <EmptyState title="No monitors yet" action={<Link to="/runs">Start a run</Link>}>
                Describe a list under Runs, review its plan, and choose “Repeat on a schedule”.
              </EmptyState>
            </May>
          ) : (
            <DataTable
              label="Monitors"
              head={
                <>
                  <th>Name</th>
                  <th>Schedule</th>
                  <th>Status</th>
                  <th>Last run</th>
                  <th>Next run</th>
                </>
              }
            >
              {items.map((monitor) => (
                <tr key={monitor.id}>
                  <td className={controls.line}>
                    <Button look="quiet" size="small" onClick={() => setOpenedId(monitor.id)}>
                      {monitor.name}
                    </Button>
                  </td>
                  <td>
                    {describeSchedule(monitor.schedule.cron)}
                    <div className={controls.muted}>{monitor.schedule.time_zone}</div>
                  </td>
                  <td>
                    <MonitorBadge monitor={monitor} />
                  </td>
                  <td>{monitor.last_run ? <Outcome run={monitor.last_run} /> : 'none yet'}</td>
                  <td>{monitor.next_runs[0] ? formatTime(monitor.next_runs[0]) : '–'}</td>
                </tr>
              ))}
            </DataTable>
          )
        }
      </QueryResult>
      {opened && <MonitorDetails monitor={opened} onClose={() => setOpenedId(null)} />}
    </Page>
  );
}

function MonitorBadge({
  monitor: { pause_reason: reason, max_credits_per_month: month },
}: {
  monitor: Monitor;
}) {
  if (reason === null) return <Badge look="good">active</Badge>;
  if (reason === 'budget' && month !== null)
    return <Badge look="warn">paused until next month: its budget does not cover a row</Badge>;
  return <Badge look={reason === 'requested' ? 'plain' : 'warn'}>{PAUSES[reason]}</Badge>;
}

function Outcome({ run }: { run: MonitorRun }) {
  const [look, text] = ENDS[run.status];
  if (run.status !== 'completed') return <Badge look={look}>{text}</Badge>;
  return (
    <>
      {run.is_silent ? `${formatCount(run.new, 'row')} recorded as known` : formatCount(run.new, 'new row')}
      {run.updated > 0 && `, ${formatNumber(run.updated)} updated`}
      <div className={controls.muted}>{formatAgo(run.due_at)}</div>
    </>
  );
}

function MonitorDetails({ monitor, onClose }: { monitor: Monitor; onClose: () => void }) {
  const path = `/v1/monitors/${monitor.id}`;
  const pages = useCursorPages();
  const runs = useQuery(monitorRunsQuery(monitor.id, pages.cursor));
  const isActive = monitor.status === 'active';
  const mayChange = useMay('change');
  const send = useMutation({
    mutationFn: (to: 'pause' | 'resume' | 'trigger') =>
      to === 'trigger' ? callOnce(`${path}/${to}`, {}) : callApi(`${path}/${to}`, { method: 'POST' }),
    onSuccess: (_, to) => {
      if (to === 'trigger') showToast('Run started.');
    },
    // After a failure, too: the request may have arrived.
    onSettled: () => refreshQueries('monitors', 'monitor-runs', 'runs'),
  });
  const remove = useAction({
    mutationFn: () => callApi(path, { method: 'DELETE' }),
    onSuccess: () => refreshQueries('monitors'),
    onDone: onClose,
  });
  return (
    <Dialog
      title={monitor.name}
      place="wide"
      onClose={onClose}
      actions={
        mayChange && (
          <>
            <ConfirmButton
              label="Remove"
              confirmLabel="Remove permanently"
              isBusy={remove.isPending}
              onConfirm={() => remove.mutate()}
            />
            <Button isBusy={send.isPending} onClick={() => send.mutate(isActive ? 'pause' : 'resume')}>
              {isActive ? 'Pause' : 'Resume'}
            </Button>
            <Button
              look="primary"
              isBusy={send.isPending}
              disabled={monitor.last_run?.status === 'working'}
              onClick={() => send.mutate('trigger')}
            >
              Run now
            </Button>
          </>
        )
      }
    >
      <p className={controls.muted}>
        {monitor.prompt} · {describeSchedule(monitor.schedule.cron)}, {monitor.schedule.time_zone} ·{' '}
        {formatCount(monitor.estimate.rows, 'row')} per run at most,{' '}
        {monitor.estimate.credits_max === 0
          ? 'free'
          : `for ${formatCredits(monitor.estimate.credits_max)} at most`}
        {monitor.max_credits_per_month !== null &&
          `, ${formatCredits(monitor.max_credits_per_month)} a month`}
        {monitor.watch && `, watches ${monitor.watch.map(formatField).join(', ')}`}
      </p>
      <ErrorNotice error={send.error ?? remove.error} />
      <QueryResult query={runs}>
        {({ items, next_cursor: next }) =>
          items.length === 0 ? (
            <EmptyState title="No runs yet">
              {monitor.next_runs[0] ? `The first run is on ${formatTime(monitor.next_runs[0])}.` : null}
            </EmptyState>
          ) : (
            <>
              <DataTable
                label="Runs of the monitor"
                head={
                  <>
                    <th>Date</th>
                    <th>Outcome</th>
                    <th className={controls.number}>New</th>
                    <th className={controls.number}>Updated</th>
                    <th className={controls.number}>Known</th>
                    <th className={controls.number}>Credits</th>
                    <th>
                      <span className="visually-hidden">Rows</span>
                    </th>
                  </>
                }
              >
                {items.map((run) => (
                  <tr key={run.due_at}>
                    <td>{formatTime(run.due_at)}</td>
                    <td>
                      <Badge look={ENDS[run.status][0]}>{ENDS[run.status][1]}</Badge>
                    </td>
                    <td className={controls.number}>{formatNumber(run.new)}</td>
                    <td className={controls.number}>{formatNumber(run.updated)}</td>
                    <td className={controls.number}>{formatNumber(run.known)}</td>
                    <td className={controls.number}>{formatNumber(run.credits)}</td>
                    <td className={controls.number}>
                      {run.run_id && (
                        <Link to="/runs/$runId" params={{ runId: run.run_id }}>
                          Open
                        </Link>
                      )}
                    </td>
                  </tr>
                ))}
              </DataTable>
              <Pager pages={pages} next={next} />
            </>
          )
        }
      </QueryResult>
    </Dialog>
  );
}
