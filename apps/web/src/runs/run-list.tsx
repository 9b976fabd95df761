import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ACTIVE_RUN, promptQuery } from '../api/queries';
import type { Run } from '../api/resources';
import { Ago } from '../ui/ago';
import { timeOfId } from '../ui/format';
import { RunBadge } from './run-badge';
import { runTitle } from './run-title';
import css from './runs.module.css';

export function RunList({ runs }: { runs: readonly Run[] }) {
  return (
    <ul className={css.list}>
      {runs.map((run) => (
        <RunItem key={run.id} run={run} />
      ))}
    </ul>
  );
}

function RunItem({ run }: { run: Run }) {
  const steps = useQuery(promptQuery(run.id));
  const title = runTitle(steps.data?.prompt, run.artifacts);
  const tables = run.artifacts.map(({ name }) => name).join(', ');
  return (
    <li>
      <Link to="/runs/$runId" params={{ runId: run.id }} className={css.item}>
        <span className={css.itemTitle}>{title}</span>
        <span className={css.itemFacts}>
          {tables && tables !== title && <span className={css.itemTables}>{tables}</span>}
          <Ago at={timeOfId(run.id)} />
          {(run.status !== 'completed' || ACTIVE_RUN.has(run.status)) && <RunBadge status={run.status} />}
        </span>
      </Link>
    </li>
  );
}
