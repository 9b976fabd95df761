import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { balanceQuery, ledgerQuery, limitsQuery, servicesQuery } from '../api/queries';
import type { LedgerEntry, SpendLimits } from '../api/resources';
import { Page } from '../shell/page';
import { Button, controls, DataTable, EmptyState, QueryResult, SelectField } from '../ui/controls';
import { formatCredits, formatTime } from '../ui/format';
import css from './credits.module.css';

const SpendChart = lazy(() =>
  import('./spend-chart').then(({ SpendChart: component }) => ({ default: component })),
);

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
      intro="What you have, what is reserved for work at hand, and where every credit went."
    >
      <QueryResult query={balance}>
        {({ remaining, reserved, balance: all }) => (
          <dl className={css.numbers}>
            <Figure name="Can be spent" value={remaining} />
            <Figure name="Reserved" value={reserved} />
            <Figure name="Balance" value={all} />
          </dl>
        )}
      </QueryResult>
      {limits.data && <Caps limits={limits.data} />}
      <Ledger />
    </Page>
  );
}

function Figure({ name, value }: { name: string; value: number }) {
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
              {cap === null ? (
                <span className={controls.muted}>no cap</span>
              ) : (
                `of at most ${formatCredits(cap)}`
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

function Ledger() {
  const [cursors, setCursors] = useState<ReadonlyArray<string | null>>([null]);
  const [service, setService] = useState('');
  const services = useQuery(servicesQuery());
  const page = useQuery(ledgerQuery(cursors.at(-1) ?? null, service));
  return (
    <section className={css.ledger}>
      <div className={controls.spread}>
        <h2>Ledger</h2>
        <SelectField
          label="Service"
          value={service}
          onChange={({ target }) => {
            setService(target.value);
            setCursors([null]);
          }}
        >
          <option value="">All</option>
          {services.data?.items.map(({ name, title }) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </SelectField>
      </div>
      <QueryResult query={page}>
        {({ items, next_cursor: next }) =>
          items.length === 0 ? (
            <EmptyState title="No entries">Grants and charges appear here as they happen.</EmptyState>
          ) : (
            <>
              <Suspense>
                <SpendChart entries={items} />
              </Suspense>
              <DataTable
                label="Ledger"
                head={
                  <>
                    <th>Time</th>
                    <th>What</th>
                    <th>For</th>
                    <th className={controls.number}>Credits</th>
                  </>
                }
              >
                {items.map((entry) => (
                  <tr key={entry.id}>
                    <td>{formatTime(entry.at)}</td>
                    <td>{entry.service ?? entry.reason ?? KINDS[entry.kind]}</td>
                    <td>
                      <LedgerSubject entry={entry} />
                    </td>
                    <td className={controls.number}>{formatCredits(entry.amount)}</td>
                  </tr>
                ))}
              </DataTable>
              <div className={controls.row}>
                {cursors.length > 1 && (
                  <Button onClick={() => setCursors(cursors.slice(0, -1))}>Newer</Button>
                )}
                {next && <Button onClick={() => setCursors([...cursors, next])}>Older</Button>}
              </div>
            </>
          )
        }
      </QueryResult>
    </section>
  );
}

function LedgerSubject({
  entry: { run_id: runId, batch_id: batchId, input_index: index },
}: {
  entry: LedgerEntry;
}) {
  if (runId)
    return (
      <Link to="/runs/$runId" params={{ runId }}>
        Run
      </Link>
    );
  if (batchId)
    return (
      <Link to="/batches/$batchId" params={{ batchId }}>
        Batch{index === null ? '' : `, input ${index + 1}`}
      </Link>
    );
  return <span className={controls.muted}>Direct call</span>;
}
