import { z } from 'zod';
import { DESTINATION_KINDS } from '../destinations.js';
import { Count, cursorPage, Id, defineResource, Timestamp } from './resource.js';

const Mapping = z
  .record(z.string(), z.string())
  .describe('Field at the destination ← key of the column here.');

/** Target that rows are pushed to. Its secret is never returned. */
export const Destination = defineResource('Destination', {
  id: Id('dst', 'the destination'),
  kind: z.enum(DESTINATION_KINDS),
  name: z.string(),
  settings: z.strictObject({
    url: z.string().optional(),
    rows_per_request: z.int().optional(),
    overwrite: z.boolean().optional(),
    campaign_id: z.string().optional(),
  }),
  mapping: Mapping.nullable().describe('Null: derived from the columns of each table.'),
  created_at: Timestamp,
});
export const DestinationList = defineResource('DestinationList', { items: z.array(Destination) });

const counts = {
  new: Count.describe('Rows that were not sent before.'),
  changed: Count.describe('Rows that were sent before with other values.'),
  unchanged: Count.describe('Rows left out because they were sent before.'),
  excluded: Count.describe('Rows left out because they are on an exclusion list.'),
  without_key: Count.describe('Rows left out because they have no e-mail address or domain.'),
  sandbox: Count.describe('Rows left out because they are fictional.'),
  duplicate: Count.describe('Rows left out because an earlier row has the same key.'),
};

/** Push of a table, or of a view of it. */
export const Push = defineResource('Push', {
  id: Id('psh', 'the push'),
  destination_id: Id('dst', 'its destination'),
  table_id: Id('tbl', 'the table'),
  view: z.string().nullable(),
  status: z.enum(['queued', 'working', 'completed', 'failed']),
  reason: z.string().nullable().describe('Why it failed, or what it waits for.'),
  counts: z.strictObject({ ...counts, failed: Count.describe('Rows that the destination rejected.') }),
  created_at: Timestamp,
  ended_at: Timestamp.nullable(),
});
export const PushPage = cursorPage('PushPage', Push);

/** Row that was rejected. */
export const PushFailure = defineResource('PushFailure', {
  row_id: Id('row', 'the row'),
  reason: z.string(),
  at: Timestamp,
});
export const PushFailurePage = cursorPage('PushFailurePage', PushFailure);

/** Writes that a push would make now. */
export const PushPreview = defineResource('PushPreview', {
  mapping: Mapping,
  row_count: Count.describe('Rows of the table or of the view.'),
  looked_at: Count.describe('Rows that were looked at: 20,000 at most.'),
  counts: z.strictObject(counts),
  payloads: z
    .array(
      z.strictObject({
        row_id: Id('row', 'the row'),
        key: z.string().describe('What identifies the row at the destination.'),
        method: z.string(),
        url: z.string(),
        body: z.unknown(),
      }),
    )
    .describe('Five requests as they would be sent, each with one row; the secret is shown as stars.'),
});
