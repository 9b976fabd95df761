import { useQuery } from '@tanstack/react-query';
import { columnQuery, useServiceTitle } from '../api/queries';
import type { ColumnDetails, Enrichment, Table } from '../api/resources';
import type { TableSearch } from '../router';
import { controls, joinClasses, QueryResult } from '../ui/controls';
import { formatCount, formatCredits, formatDay } from '../ui/format';
import css from './dialogs.module.css';
import type { Filling } from './filling';
import { filterParts } from './filter-parts';
import { MoreButton } from './more-button';

interface ColumnFactsProps {
  readonly table: Table;
  readonly columnKey: string;
  /** The current view of the table: only its rows are looked up. */
  readonly search: TableSearch;
  readonly onStarted: (filling: Filling) => void;
}

/** Shows which service fills a column and what its lookups cost, and looks up what has failed or has no value. */
export function ColumnFacts({ table, columnKey, search, onStarted }: ColumnFactsProps) {
  const query = useQuery(columnQuery(table.id, columnKey));
  const titleOf = useServiceTitle();
  return (
    <QueryResult query={query}>
      {({ source, charged, charged_since: since }) =>
        source === null ? (
          <p className={controls.muted}>
            No stored run or enrichment has looked this column up. “Add column” fills it with any service.
          </p>
        ) : (
          <>
            <dl className={css.facts}>
              <dt>Filled by</dt>
              <dd>{titleOf(source.service)}</dd>
              <dt>Charged so far</dt>
              <dd>
                {formatCredits(charged)}
                {since && `, since ${formatDay(since)}`}
              </dd>
            </dl>
            <LookUpAgain
              table={table}
              columnKey={columnKey}
              source={source}
              search={search}
              onStarted={onStarted}
            />
          </>
        )
      }
    </QueryResult>
  );
}

interface LookUpAgainProps extends ColumnFactsProps {
  readonly source: NonNullable<ColumnDetails['source']>;
}

function LookUpAgain({ table, columnKey, source, search, onStarted }: LookUpAgainProps) {
  const { service, inputs, field } = source;
  const request = { service, ...(inputs ? { inputs } : {}), columns: [{ key: columnKey, field }] };
  const more = {
    table,
    request,
    ofRows: search,
    shown: search,
    after: columnKey,
    onStarted: (enrichment: Enrichment) =>
      onStarted({ enrichment, request, search: { ...search, cell: undefined }, isPart: false }),
  };
  const filters = filterParts(table, search).map(({ text }) => text);
  return (
    <div className={controls.stack}>
      {filters.length > 0 && (
        <p className={controls.muted}>Only the rows of this view: {filters.join(', ')}.</p>
      )}
      <div className={joinClasses(controls.row, css.more)}>
        <MoreButton rows="failed" {...more}>
          {(count) => `Look up ${formatCount(count, 'failed row')}`}
        </MoreButton>
        <MoreButton rows="empty" {...more}>
          {(count) => `Look up ${formatCount(count, 'empty row')}`}
        </MoreButton>
      </div>
    </div>
  );
}
