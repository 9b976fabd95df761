import { to as copyTo } from 'pg-copy-streams';
import type { RawClient } from '@quarry/platform';
import type { RowEncoder } from './row-encoder.js';

/**
 * Reads all rows of a row set in one statement, which is one snapshot, and encodes them as they come: no faster than
 * the reader takes them.
 * @returns the file in pieces, each valid until the next is asked for
 */
export async function* copyTableOut(
  client: RawClient,
  rowSet: { orgId: string; number: string },
  encoder: RowEncoder,
): AsyncGenerator<Buffer> {
  const quote = (text: string) => client.escapeLiteral(text);
  // COPY takes no parameters.
  const rows = `org_id = ${quote(rowSet.orgId)} AND row_set = ${quote(rowSet.number)}`;
  yield encoder.head();
  for await (const copied of client.query(copyTo(encoder.copySql(rows, quote))))
    yield encoder.encode(copied as Buffer);
  yield encoder.tail();
}
