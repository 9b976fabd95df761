import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { callApi } from '../api/http';
import { May, useMay } from '../api/may';
import {
  ACTIVE_RUN,
  conversationRunsQuery,
  planQuery,
  promptQuery,
  refreshQueries,
  runQuery,
  runStepsQuery,
  tableQuery,
} from '../api/queries';
import type { Run, RunSteps } from '../api/resources';
import { AddressedResult } from '../shell/other-mode';
import { Page } from '../shell/page';
import { TableGrid } from '../tables/table-grid';
import { Button, controls, ErrorNotice, Notice, QueryResult } from '../ui/controls';
import { Ago } from '../ui/ago';
import { formatCount, formatCredits, formatDuration, formatNumber } from '../ui/format';
import { messageText } from './message-text';
import { FIRST_ROWS, PlanView } from './plan-view';
import { PromptBox } from './prompt-box';
import { RunBadge } from './run-badge';
import { runTitle } from './run-title';
import css from './runs.module.css';
import { planOfRest, usePlan } from './use-plan';

export function RunPage() {
  const { runId } = useParams({ from: '/shell/runs/$runId' });
  const run = useQuery(runQuery(runId));
  return (
    <AddressedResult query={run} wayOut={<Link to="/runs">Back to runs</Link>}>
      {(data) => <RunView key={data.id} run={data} />}
    </AddressedResult>
  );
}

function RunView({ run }: { run: Run }) {
  const isActive = ACTIVE_RUN.has(run.status);
  const draft = `run.${run.id}`;
  const steps = useQuery(runStepsQuery(run.id, isActive));
  const { shown, plan, run: runPlan, isStale, setTyped } = usePlan(draft);
  const mayChange = useMay('change');
  const first = useQuery({ ...tableQuery(run.artifacts[0]?.id ?? ''), enabled: run.artifacts.length > 0 });
  // Fewer rows than requested: there are no more.
  const rest = (first.data?.row_count ?? 0) >= FIRST_ROWS ? planOfRest(run.id) : null;
  const stop = useMutation({
    mutationFn: () => callApi<Run>(`/v1/runs/${run.id}/cancel`, { method: 'POST', body: {} }),
    onSuccess: () => refreshQueries('run', 'runs', 'balance'),
  });
  return (
    <Page
      title={runTitle(steps.data?.prompt, run.artifacts)}
      intro={
        <span className={css.facts}>
          <span role="status">
            <RunBadge status={run.status} />
          </span>
          {steps.data && (
            <>
              <Ago at={steps.data.created_at} />
              <span>{`${formatCredits(steps.data.charged)}${isActive ? ' so far' : ''}`}</span>
            </>
          )}
        </span>
      }
      actions={
        isActive ? (
          <StopButton
            isStopping={stop.isPending || run.cancellation_requested}
            onStop={() => stop.mutate()}
          />
        ) : (
          steps.data && (
            <>
              {rest && mayChange && (
                <RestButton
                  planId={rest}
                  charged={steps.data.charged}
                  isBusy={runPlan.isPending}
                  onRun={() => runPlan.mutate({ planId: rest, rows: null })}
                />
              )}
              {steps.data.prompt && (
                <Link to="/runs" search={{ prompt: steps.data.prompt }} className={controls.button}>
                  Edit and run again
                </Link>
              )}
            </>
          )
        )
      }
    >
      <Earlier run={run} />
      <ErrorNotice error={stop.error ?? runPlan.error ?? plan.error} />
      {run.error && (
        <Notice look="red">
          <strong>This run failed.</strong> {run.error.message}
        </Notice>
      )}
      {run.message && <p className={css.message}>{messageText(run.message)}</p>}
      {run.artifacts.map(({ id, name }) => (
        <RunTable key={id} id={id} name={name} isActive={isActive} />
      ))}
      {steps.data && <Steps steps={steps.data} isActive={isActive} />}
      {!isActive && (
        <>
          <PromptBox
            label={run.artifacts.length > 0 ? 'Continue with these rows' : 'Ask again'}
            placeholder={
              run.artifacts.length > 0
                ? 'only those in Berlin · add their technologies · sort by headcount'
                : 'CEOs of fintech companies in Europe, with work e-mail'
            }
            action="Show plan"
            draft={draft}
            isBusy={plan.isPending}
            onSubmit={(prompt) => plan.mutate({ prompt, conversation_id: run.conversation_id })}
            onType={setTyped}
          />
          {shown && (
            <PlanView
              plan={shown}
              isStale={isStale}
              isBusy={runPlan.isPending || plan.isPending}
              onIntent={(intent) => plan.mutate({ plan_id: shown.id, intent })}
              onPrompt={(prompt) =>
                plan.mutate({ prompt, conversation_id: run.conversation_id, isRevision: true })
              }
              onRun={(rows) => runPlan.mutate({ planId: shown.id, intent: shown.intent, rows })}
            />
          )}
        </>
      )}
    </Page>
  );
}

function StopButton({ isStopping, onStop }: { isStopping: boolean; onStop: () => void }) {
  return (
    <May task="change">
      <Button look="danger" isBusy={isStopping} onClick={onStop}>
        Stop
      </Button>
    </May>
  );
}

interface RestProps {
  readonly planId: string;
  /** Credits that the first rows have cost, which are not charged again. */
  readonly charged: number;
  readonly isBusy: boolean;
  readonly onRun: () => void;
}

/** Runs the rest of a plan after its first rows, and first shows how many rows and the most they can cost. */
function RestButton({ planId, charged, isBusy, onRun }: RestProps) {
  const plan = useQuery(planQuery(planId));
  if (!plan.data) return <ErrorNotice error={plan.error} />;
  const { rows, credits_max: most } = plan.data.estimate;
  const more = rows - FIRST_ROWS;
  if (more <= 0) return null;
  const price = Math.max(0, most - charged);
  return (
    <Button look="primary" isBusy={isBusy} onClick={onRun}>
      Run the rest: up to {formatNumber(more)} more {more === 1 ? 'row' : 'rows'},{' '}
      {price === 0 ? 'free' : `at most ${formatCredits(price)}`}
    </Button>
  );
}

/** Enough to see what a run continues; each takes a request. */
const EARLIER_SHOWN = 10;

/** The runs of the conversation before this one, oldest first. */
function Earlier({ run }: { run: Run }) {
  const runs = useQuery(conversationRunsQuery(run.conversation_id));
  const [isWhole, setWhole] = useState(false);
  const others = runs.data?.items.filter(({ id }) => id < run.id) ?? [];
  const shown = (isWhole ? others : others.slice(0, EARLIER_SHOWN)).toReversed();
  const isCut = runs.data !== undefined && runs.data.next_offset !== null;
  return (
    <>
      {shown.length < others.length ? (
        <Button size="small" className={css.earlier} onClick={() => setWhole(true)}>
          Show {formatCount(others.length - shown.length, 'earlier run')}
        </Button>
      ) : (
        isCut && (
          <p className={controls.muted}>
            This conversation has many runs: the older ones are{' '}
            <Link to="/workspaces/$workspaceId" params={{ workspaceId: run.workspace_id }}>
              in its workspace
            </Link>
            .
          </p>
        )
      )}
      {shown.length > 0 && (
        <ol className={css.thread} aria-label="Earlier in this conversation">
          {shown.map((each) => (
            <EarlierRun key={each.id} run={each} />
          ))}
        </ol>
      )}
    </>
  );
}

function EarlierRun({ run }: { run: Run }) {
  const steps = useQuery(promptQuery(run.id));
  return (
    <li>
      <Link to="/runs/$runId" params={{ runId: run.id }}>
        {runTitle(steps.data?.prompt, run.artifacts)}
      </Link>
      <p className={css.threadText}>{run.error?.message ?? messageText(run.message)}</p>
    </li>
  );
}

/** @returns the height in pixels of a header and up to ten rows, with a scroll bar */
function gridHeight(rows: number): number {
  return 32 + 32 * Math.max(2, Math.min(rows, 10)) + 18;
}

function RunTable({ id, name, isActive }: { id: string; name: string; isActive: boolean }) {
  const table = useQuery(tableQuery(id, isActive));
  const navigate = useNavigate();
  // Once more at the end, for rows that came after the last poll.
  useEffect(() => (isActive ? () => refreshQueries('table') : undefined), [isActive]);
  return (
    <section aria-label={`Table ${name}`} className={css.runTable}>
      <div className={controls.spread}>
        <h2>
          {name}{' '}
          {table.data && <span className={controls.muted}>{formatCount(table.data.row_count, 'row')}</span>}
        </h2>
        <Link to="/tables/$tableId" params={{ tableId: id }} className={controls.button}>
          Open table
        </Link>
      </div>
      <QueryResult query={table}>
        {(data) => (
          <div
            className={css.runGrid}
            style={data.row_count > 0 ? { height: gridHeight(data.row_count) } : undefined}
          >
            <TableGrid
              table={data}
              isLive={isActive}
              noRows="No rows match all conditions. Try fewer or broader ones: “Edit and run again”."
              onSort={(sort) =>
                void navigate({ to: '/tables/$tableId', params: { tableId: id }, search: { sort } })
              }
            />
          </div>
        )}
      </QueryResult>
    </section>
  );
}

/** Shows the steps of a run, with times and costs. */
function Steps({ steps, isActive }: { steps: RunSteps; isActive: boolean }) {
  if (steps.items.length === 0 && !isActive) return null;
  return (
    <section className={css.steps}>
      <h2>Steps</h2>
      <ol aria-label="Steps">
        {steps.items.map((step, index) => (
          <li key={`${step.name}-${index}`} data-status={step.status}>
            <span>{step.title}</span>
            <span className={css.stepFacts}>
              {step.charged > 0 && <span>{formatCredits(step.charged)}</span>}
              <span>
                {step.completed_at
                  ? formatDuration(Date.parse(step.completed_at) - Date.parse(step.started_at))
                  : 'working'}
              </span>
            </span>
          </li>
        ))}
        {isActive && steps.items.every(({ status }) => status !== 'running') && (
          <li data-status="running">Working</li>
        )}
      </ol>
    </section>
  );
}
