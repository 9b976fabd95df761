import { to as copyTo } from 'pg-copy-streams';
import type { RawClient } from '@quarry/postgres';
import type { RowEncoder, RowSource } from './row-encoder.js';

/** Rows of a table, or of a view of it. */
export interface RowsToCopy {
  orgId: string;
  /** Number of the row set. */
  rowSet: string;
  /** The view whose rows are read in its order; null for all rows in table order. */
  viewId?: string | null;
}

/**
 * Reads all rows of a row set in one statement, which is one snapshot, and encodes them as they arrive, no faster than the caller
 * consumes them.
 * @returns the file in pieces, each valid until the next one is requested
 */
export async function* copyTableOut(
  client: RawClient,
  rows: RowsToCopy,
  encoder: RowEncoder,
): AsyncGenerator<Buffer> {
  const quote = (text: string) => client.escapeLiteral(text);
  yield encoder.head();
  for await (const copied of client.query(copyTo(encoder.copySql(sourceOf(rows, quote), quote))))
    yield encoder.encode(copied as Buffer);
  yield encoder.tail();
}

/** @returns the rows as SQL with literals, because COPY takes no parameters */
function sourceOf({ orgId, rowSet, viewId }: RowsToCopy, quote: (text: string) => string): RowSource {
  const ofTable = `r.org_id = ${quote(orgId)} AND r.row_set = ${quote(rowSet)}`;
  if (!viewId) return { from: `tables.rows r WHERE ${ofTable}`, orderBy: 'r.position' };
  return {
    from: `tables.views v CROSS JOIN unnest(v.positions) WITH ORDINALITY AS shown (position, place)
      JOIN tables.rows r ON ${ofTable} AND r.position = shown.position
      WHERE v.org_id = ${quote(orgId)} AND v.id = ${quote(viewId)}`,
    orderBy: 'shown.place',
  };
}
