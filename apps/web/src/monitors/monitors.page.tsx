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
  EmptyState,
  ErrorNotice,
  type BadgeLook,
} from '../ui/controls';
import { DataList } from '../ui/data-table';
import { Dialog } from '../ui/dialog';
import { Ago } from '../ui/ago';
import { formatCount, formatCredits, formatField, formatNumber, formatTimeIn } from '../ui/format';
import { usePages } from '../ui/pager';
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
      <DataList
        label="Monitors"
        query={monitors}
        empty={
          <May task="change" otherwise={<EmptyState title="No monitors yet" />}>
            <EmptyState title="No monitors yet" action={<Link to="/runs">Start a run</Link>}>
              Describe a list under Runs, review its plan, and choose “Repeat on a schedule”.
            </EmptyState>
          </May>
        }
        keyOf={({ id }) => id}
        columns={{
          Name: {
            line: ({ id, name }) => (
              <Button look="quiet" size="small" onClick={() => setOpenedId(id)}>
                {name}
              </Button>
            ),
          },
          Schedule: ({ schedule }) => (
            <>
              {describeSchedule(schedule.cron)}
              <div className={controls.muted}>{schedule.time_zone}</div>
            </>
          ),
          Status: (monitor) => <MonitorBadge monitor={monitor} />,
          'Last run': ({ last_run: run }) => (run ? <Outcome run={run} /> : 'none yet'),
          // In the time zone of the schedule beside it.
          'Next run': ({ schedule, next_runs: [next] }) =>
            next ? formatTimeIn(schedule.time_zone, next) : '–',
        }}
      />
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
      <div className={controls.muted}>
        <Ago at={run.due_at} />
      </div>
    </>
  );
}

function MonitorDetails({ monitor, onClose }: { monitor: Monitor; onClose: () => void }) {
  const path = `/v1/monitors/${monitor.id}`;
  const zone = monitor.schedule.time_zone;
  const pages = usePages();
  const runs = useQuery(monitorRunsQuery(monitor.id, pages.position));
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
        {monitor.prompt} · {describeSchedule(monitor.schedule.cron)}, {zone} ·{' '}
        {formatCount(monitor.estimate.rows, 'row')} per run at most,{' '}
        {monitor.estimate.credits_max === 0
          ? 'free'
          : `for ${formatCredits(monitor.estimate.credits_max)} at most`}
        {monitor.max_credits_per_month !== null &&
          `, ${formatCredits(monitor.max_credits_per_month)} a month`}
        {monitor.watch && `, watches ${monitor.watch.map(formatField).join(', ')}`}
      </p>
      <ErrorNotice error={send.error ?? remove.error} />
      <DataList
        label="Runs of the monitor"
        query={runs}
        pages={pages}
        empty={
          <EmptyState title="No runs yet">
            {monitor.next_runs[0] ? `The first run is on ${formatTimeIn(zone, monitor.next_runs[0])}.` : null}
          </EmptyState>
        }
        keyOf={(run) => run.due_at}
        columns={{
          Date: (run) => formatTimeIn(zone, run.due_at),
          Outcome: ({ status }) => <Badge look={ENDS[status][0]}>{ENDS[status][1]}</Badge>,
          New: { number: (run) => formatNumber(run.new) },
          Updated: { number: (run) => formatNumber(run.updated) },
          Known: { number: (run) => formatNumber(run.known) },
          Credits: { number: (run) => formatNumber(run.credits) },
          Rows: {
            action: ({ run_id: runId }) =>
              runId && (
                <Link to="/runs/$runId" params={{ runId }}>
                  Open
                </Link>
              ),
          },
        }}
      />
    </Dialog>
  );
}
