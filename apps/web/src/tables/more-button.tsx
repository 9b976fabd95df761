import { useMutation, useQuery } from '@tanstack/react-query';
import { callApi, callOnce } from '../api/http';
import { currentMode } from '../api/mode';
import type { Enrichment, Estimated, Table } from '../api/resources';
import type { TableSearch } from '../router';
import { Button, ErrorNotice } from '../ui/controls';
import { formatCredits } from '../ui/format';
import { filterParts } from './filter-parts';
import { viewQuery } from './view';

interface MoreButtonProps {
  readonly rows: 'empty' | 'failed';
  readonly table: Table;
  /** The service, its inputs and the columns to fill. */
  readonly request: Readonly<Record<string, unknown>>;
  /** The view whose rows are filled. */
  readonly ofRows: TableSearch;
  /** The view that is shown. The button names the filter of another one. */
  readonly shown: TableSearch;
  /** The enrichment after which rows are counted, or the column: it tells the estimate from others of the table. */
  readonly after: string;
  readonly look?: 'primary';
  readonly onStarted: (enrichment: Enrichment) => void;
  /** Returns the label for a number of rows. */
  readonly children: (count: number) => string;
}

/** Fills further rows, and first shows how many, with which filter, and the most they can cost. */
export function MoreButton({
  rows,
  table,
  request,
  ofRows,
  shown,
  after,
  look,
  onStarted,
  children,
}: MoreButtonProps) {
  // An earlier view may have expired, so its rows are looked up again.
  const view = useQuery(viewQuery(table, ofRows));
  const path = `/v1/tables/${table.id}/enrichments`;
  const body = { ...request, ...(view.data ? { view: view.data.id } : {}), rows };
  const estimate = useQuery({
    queryKey: [currentMode(), 'estimate', table.id, after, rows, view.data?.id],
    queryFn: ({ signal }) =>
      callApi<Estimated>(path, { method: 'POST', body: { ...body, dry_run: true }, signal }),
    enabled: view.isSuccess,
    staleTime: 0,
    gcTime: 0,
  });
  const more = useMutation({ mutationFn: () => callOnce<Enrichment>(path, body), onSuccess: onStarted });
  const error = view.error ?? estimate.error ?? more.error;
  if (error)
    return (
      <ErrorNotice
        error={error}
        onRetry={() => {
          if (view.isError) void view.refetch();
          else if (estimate.isError) void estimate.refetch();
          else more.mutate();
        }}
      />
    );
  if (!estimate.data || estimate.data.estimate.rows === 0) return null;
  const { rows: count, credits_max: most } = estimate.data.estimate;
  const textOf = (of: TableSearch) => filterParts(table, of).map(({ text }) => text);
  const filters = textOf(ofRows);
  const isOther = filters.join() !== textOf(shown).join();
  const ofFilter = filters.length > 0 ? `of those where ${filters.join(', ')}` : 'of the whole table';
  return (
    <Button size="small" {...(look ? { look } : {})} isBusy={more.isPending} onClick={() => more.mutate()}>
      {children(count)}
      {isOther && ` ${ofFilter}`}, {most === 0 ? 'free' : `at most ${formatCredits(most)}`}
    </Button>
  );
}
