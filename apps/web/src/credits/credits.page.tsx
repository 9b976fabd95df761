import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import {
  appListQuery,
  balanceQuery,
  enrichmentQuery,
  ledgerQuery,
  limitsQuery,
  promptQuery,
  servicesQuery,
  tableQuery,
  usageQuery,
  useServiceTitle,
} from '../api/queries';
import type { ApiKey, LedgerEntry, SpendLimits } from '../api/resources';
import { runTitle } from '../runs/run-title';
import { Page } from '../shell/page';
import { controls, EmptyState, Options, QueryResult, SelectField } from '../ui/controls';
import { DataList, DataTable } from '../ui/data-table';
import { formatCredits, formatNumber, formatTime } from '../ui/format';
import { useEntryState } from '../ui/entry-state';
import { usePages } from '../ui/pager';
import css from './credits.module.css';

const SpendChart = lazy(() =>
  import('./spend-chart').then(({ SpendChart: component }) => ({ default: component })),
);

const PARTS = { day: 'By day', service: 'By service', run: 'By run', key: 'By key' } as const;
type Part = keyof typeof PARTS;
/** Enough to see where credits go; the ledger below shows each charge. */
const SUMS_SHOWN = 20;

const KINDS: Readonly<Record<LedgerEntry['kind'], string>> = {
  grant: 'Granted',
  charge: 'Charged',
  adjustment: 'Adjusted',
};

export function CreditsPage() {
  const balance = useQuery(balanceQuery());
  const limits = useQuery(limitsQuery());
  return (
    <Page
      title="Credits"
      intro="Your balance, what is reserved for work in progress, and where every credit went."
    >
      <QueryResult query={balance}>
        {({ remaining, reserved, balance: all }) => (
          <dl className={css.numbers}>
            <Metric name="Available" value={remaining} />
            <Metric name="Reserved" value={reserved} />
            <Metric name="Balance" value={all} />
          </dl>
        )}
      </QueryResult>
      {limits.data && <Caps limits={limits.data} />}
      <Usage />
      <Ledger />
    </Page>
  );
}

function Metric({ name, value }: { name: string; value: number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{formatCredits(value)}</dd>
    </div>
  );
}

function Caps({ limits: { organisation } }: { limits: SpendLimits }) {
  return (
    <dl className={css.numbers}>
      {(['day', 'month'] as const).map((period) => {
        const { used, cap } = organisation[period];
        return (
          <div key={period}>
            <dt>{period === 'day' ? 'Spent today' : 'Spent this month'}</dt>
            <dd className={css.small}>
              {formatCredits(used)}{' '}
              {cap === null ? <span className={controls.muted}>no cap</span> : `of ${formatCredits(cap)}`}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

/** Shows the costs of the last thirty days, grouped by one of four dimensions. */
function Usage() {
  const [part, setPart] = useState<Part>('day');
  const usage = useQuery(usageQuery(part));
  return (
    <section className={css.ledger}>
      <div className={controls.spread}>
        <h2>Spent in 30 days</h2>
        <div role="tablist" aria-label="Spent in 30 days" className={controls.tabs}>
          {(Object.keys(PARTS) as Part[]).map((each) => (
            <button
              key={each}
              type="button"
              role="tab"
              aria-selected={each === part}
              onClick={() => setPart(each)}
            >
              {PARTS[each]}
            </button>
          ))}
        </div>
      </div>
      <div role="tabpanel" aria-label={PARTS[part]}>
        <QueryResult query={usage}>
          {({ items, since }) =>
            items.length === 0 ? (
              <EmptyState title="Nothing spent yet">The cost of runs and services appears here.</EmptyState>
            ) : part === 'day' ? (
              <Suspense>
                <SpendChart days={items} since={since} />
              </Suspense>
            ) : (
              <>
                <DataTable
                  label={PARTS[part]}
                  rows={items.slice(0, SUMS_SHOWN)}
                  keyOf={({ key }) => key ?? ''}
                  columns={{
                    [PARTS[part].slice(3).replace(/^./, (letter) => letter.toUpperCase())]: ({ key }) => (
                      <UsageName part={part} id={key} />
                    ),
                    Charges: { number: ({ charges }) => formatNumber(charges) },
                    Credits: { number: ({ credits }) => formatCredits(credits) },
                  }}
                />
                {items.length > SUMS_SHOWN && (
                  <p className={controls.muted}>Only the {SUMS_SHOWN} that cost most are shown.</p>
                )}
              </>
            )
          }
        </QueryResult>
      </div>
    </section>
  );
}

function UsageName({ part, id }: { part: Exclude<Part, 'day'>; id: string | null }) {
  const titleOf = useServiceTitle();
  const keys = useQuery({ ...appListQuery<ApiKey>('keys'), enabled: part === 'key' });
  if (part === 'service') return id === null ? 'Other' : titleOf(id);
  if (part === 'run') return id === null ? 'Batches and direct calls' : <Subject id={id} />;
  const key = keys.data?.items.find((each) => each.id === id);
  if (id === null) return 'No key';
  if (!keys.data) return <code>{id}</code>;
  return key
    ? (key.name ?? `Created on the server, …${key.last_four}`)
    : 'Someone in this application, or a revoked key';
}

/** Shows the subject of a charge: a run by its prompt, or a direct caller. */
function Subject({ id }: { id: string }) {
  const isRun = id.startsWith('run_');
  const steps = useQuery({ ...promptQuery(id), enabled: isRun });
  if (id.startsWith('enr_')) return <FilledTable enrichmentId={id} />;
  if (!isRun) return <Link to="/go">Research with Go</Link>;
  return (
    <Link to="/runs/$runId" params={{ runId: id }}>
      {runTitle(steps.data?.prompt)}
    </Link>
  );
}

/** Shows the table whose column an enrichment has filled, as long as both exist. */
function FilledTable({ enrichmentId }: { enrichmentId: string }) {
  const enrichment = useQuery({ ...enrichmentQuery(enrichmentId), staleTime: 60_000 });
  const tableId = enrichment.data?.table_id ?? '';
  const table = useQuery({ ...tableQuery(tableId), staleTime: 60_000, enabled: tableId !== '' });
  if (!table.data) return 'Column of a table';
  return (
    <Link to="/tables/$tableId" params={{ tableId }}>
      Column of {table.data.name}
    </Link>
  );
}

function Ledger() {
  const pages = usePages('ledger');
  const [service, setService] = useEntryState('service', '');
  const services = useQuery(servicesQuery());
  const titleOf = useServiceTitle();
  const page = useQuery(ledgerQuery(pages.position, service));
  return (
    <section className={css.ledger}>
      <div className={controls.spread}>
        <h2>Ledger</h2>
        <SelectField
          label="Service"
          value={service}
          onChange={({ target }) => {
            setService(target.value);
            pages.toFirst();
          }}
        >
          <option value="">All</option>
          <Options of={(services.data?.items ?? []).map(({ name, title }) => [name, title])} />
        </SelectField>
      </div>
      <DataList
        label="Ledger"
        query={page}
        pages={pages}
        empty={<EmptyState title="No entries">Grants and charges appear here as they happen.</EmptyState>}
        keyOf={({ id }) => id}
        columns={{
          Time: { line: ({ at }) => formatTime(at) },
          What: {
            line: ({ service: name, reason, kind }) => (name ? titleOf(name) : (reason ?? KINDS[kind])),
          },
          For: { line: (entry) => <LedgerSubject entry={entry} /> },
          Credits: { number: ({ amount }) => formatCredits(amount) },
        }}
      />
    </section>
  );
}

function LedgerSubject({
  entry: { kind, run_id: runId, batch_id: batchId, input_index: index },
}: {
  entry: LedgerEntry;
}) {
  if (runId) return <Subject id={runId} />;
  if (batchId)
    return (
      <Link to="/batches/$batchId" params={{ batchId }}>
        Batch{index === null ? '' : `, input ${index + 1}`}
      </Link>
    );
  return kind === 'charge' ? <span className={controls.muted}>Direct call</span> : null;
}
