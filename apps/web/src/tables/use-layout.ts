import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { firstRowQuery } from '../api/queries';
import type { Table } from '../api/resources';
import type { Layout } from './columns';
import { usualOrder } from './usual-order';

const NOTHING: Layout = { order: [], hidden: [], frozen: [], widths: {} };
const keyOf = (tableId: string) => `quarry.columns.${tableId}`;

function readLayout(tableId: string): Layout {
  try {
    return { ...NOTHING, ...(JSON.parse(localStorage.getItem(keyOf(tableId)) ?? '{}') as Partial<Layout>) };
  } catch {
    return NOTHING;
  }
}

/**
 * Returns the arrangement of a table's columns: the user's, or a default with paid columns near the front. The last item is false
 * while it is unknown: columns rendered earlier would jump.
 */
export function useLayout(table: Table): [Layout, (change: Partial<Layout>) => void, boolean] {
  const tableId = table.id;
  const [layout, setLayout] = useState(() => readLayout(tableId));
  const update = useCallback(
    (change: Partial<Layout>) =>
      setLayout((before) => {
        const next = { ...before, ...change };
        localStorage.setItem(keyOf(tableId), JSON.stringify(next));
        return next;
      }),
    [tableId],
  );
  const hasOwnOrder = layout.order.length > 0;
  const isNeeded = !hasOwnOrder && table.row_count > 0;
  const { data, isPending } = useQuery({
    ...firstRowQuery(tableId, table.columns.length),
    enabled: isNeeded,
    placeholderData: keepPreviousData,
  });
  const row = data?.items[0];
  const arranged = useMemo(
    () => (hasOwnOrder || !row ? layout : { ...layout, order: usualOrder(table.columns, row) }),
    [layout, hasOwnOrder, row, table.columns],
  );
  return [arranged, update, !isNeeded || !isPending];
}
