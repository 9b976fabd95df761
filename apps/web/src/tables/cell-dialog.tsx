import { useServiceTitle } from '../api/queries';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { callApi } from '../api/http';
import { currentMode } from '../api/mode';
import type { Cell, CellDetail, Column } from '../api/resources';
import { Badge, Button, controls, Notice, QueryResult, type BadgeLook } from '../ui/controls';
import { Dialog } from '../ui/dialog';
import { formatCredits, formatDuration, formatTime } from '../ui/format';
import { linkOf } from './cell-value';
import { valueText } from './value-text';
import css from './dialogs.module.css';

const cellQuery = (tableId: string, rowId: string, key: string) =>
  queryOptions({
    queryKey: [currentMode(), 'cell', tableId, rowId, key],
    queryFn: ({ signal }) =>
      callApi<CellDetail>(`/v1/tables/${tableId}/rows/${rowId}/cells/${encodeURIComponent(key)}`, { signal }),
  });

const STATUS: Readonly<Record<NonNullable<CellDetail['cell']>['status'], readonly [BadgeLook, string]>> = {
  filled: ['good', 'Found'],
  empty: ['plain', 'Searched, not found'],
  pending: ['busy', 'In progress'],
  failed: ['bad', 'Failed, nothing charged'],
  skipped: ['warn', 'Not looked up'],
};
const WITHOUT_ANSWER: ReadonlySet<Cell['status']> = new Set(['empty', 'failed', 'skipped']);
const OUTCOME: Readonly<Record<string, readonly [BadgeLook, string]>> = {
  hit: ['good', 'found'],
  miss: ['plain', 'nothing'],
  skipped: ['plain', 'not tried'],
  failed: ['bad', 'failed'],
};

interface CellDialogProps {
  readonly tableId: string;
  readonly rowId: string;
  readonly column: Column;
  readonly onClose: () => void;
  /** Opens the column, where its cells can be looked up again; undefined where columns cannot be changed. */
  readonly onManage?: ((key: string) => void) | undefined;
}

/** Explains a cell: its value, confidence, proofs, providers and cost. */
export function CellDialog({ tableId, rowId, column, onClose, onManage }: CellDialogProps) {
  const query = useQuery(cellQuery(tableId, rowId, column.key));
  return (
    <Dialog title={column.name} label="Cell" place="side" onClose={onClose}>
      <QueryResult query={query}>
        {(detail) => (
          <>
            <CellFacts detail={detail} column={column} />
            {onManage && detail.cell && WITHOUT_ANSWER.has(detail.cell.status) && (
              <div className={controls.row}>
                <Button size="small" onClick={() => onManage(column.key)}>
                  Look up again…
                </Button>
              </div>
            )}
          </>
        )}
      </QueryResult>
    </Dialog>
  );
}

/** Direct calls are charged to their run or enrichment: their entries name no cell. */
const costText = (cell: Cell | null) =>
  cell?.status === 'filled' && cell.source?.job_id === null ? 'Not known for a single cell' : 'Nothing';

function Sources({ citations }: Pick<Cell, 'citations'>) {
  return (
    <section className={css.part}>
      <h3>Sources</h3>
      <ul className={css.quotes}>
        {citations.map(({ url, title, excerpt }) => (
          <li key={url}>
            {excerpt && <blockquote>“{excerpt}”</blockquote>}
            {linkOf(url, 'url') ? (
              <a href={url} target="_blank" rel="noreferrer">
                {title ?? url}
              </a>
            ) : (
              (title ?? url)
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function CellFacts({ detail: { value, cell, trail, cost }, column }: { detail: CellDetail; column: Column }) {
  const titleOf = useServiceTitle();
  const text = valueText(value, column);
  const link = linkOf(value, column.kind);
  const ofRow = text ? (['plain', 'Came with the row'] as const) : null;
  const badge = cell ? STATUS[cell.status] : ofRow;
  return (
    <>
      <p className={css.value}>
        {link ? (
          <a href={link} target="_blank" rel="noreferrer">
            {text}
          </a>
        ) : (
          text || <span className={controls.muted}>No value</span>
        )}
      </p>
      {badge && (
        <div className={controls.row}>
          <Badge look={badge[0]}>{badge[1]}</Badge>
          {cell?.confidence && <Badge>{cell.confidence} confidence</Badge>}
        </div>
      )}
      {cell?.error && <Notice look={cell.status === 'failed' ? 'red' : 'amber'}>{cell.error.message}</Notice>}
      {cell?.reasoning && <p>{cell.reasoning}</p>}
      {cell && cell.citations.length > 0 && <Sources citations={cell.citations} />}
      {trail && trail.length > 0 && (
        <section className={css.part}>
          <h3>Providers tried</h3>
          <ol className={css.attempts}>
            {trail.map((step, index) => {
              const [outcomeLook, outcome] = OUTCOME[step.outcome] ?? (['plain', step.outcome] as const);
              return (
                <li key={index}>
                  <span>{step.provider}</span>
                  <Badge look={outcomeLook}>{outcome}</Badge>
                  <span className={controls.muted}>{formatDuration(step.duration_ms)}</span>
                </li>
              );
            })}
          </ol>
        </section>
      )}
      <dl className={css.facts}>
        {cell?.source && (
          <>
            <dt>Service</dt>
            <dd>{titleOf(cell.source.service)}</dd>
            {cell.source.provider && (
              <>
                <dt>Answered by</dt>
                <dd>{cell.source.provider}</dd>
              </>
            )}
          </>
        )}
        <dt>Cost</dt>
        <dd>{cost ? formatCredits(cost.amount) : costText(cell)}</dd>
        {cell && (
          <>
            <dt>Updated</dt>
            <dd>{formatTime(cell.updated_at)}</dd>
          </>
        )}
      </dl>
    </>
  );
}
