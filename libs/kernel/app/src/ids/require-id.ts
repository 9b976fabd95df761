import { AppError, type ErrorCode } from '@quarry/error-codes';
import { isId, type IdPrefix } from './ids.js';

/** Code and message of the 404 of each resource. Source: error table of the contract. */
const MISSING = {
  ws: ['workspace_not_found', 'There is no such workspace.'],
  run: ['run_not_found', 'There is no such run.'],
  plan: ['not_found', 'There is no such plan.'],
  tbl: ['table_not_found', 'There is no such table.'],
  row: ['not_found', 'The table has no such row.'],
  enr: ['not_found', 'There is no such enrichment.'],
  exp: ['export_not_found', 'There is no such export.'],
  svcjob: ['not_found', 'There is no such job.'],
  gorun: ['not_found', 'There is no such Go run.'],
  key: ['not_found', 'There is no such key.'],
  session: ['not_found', 'There is no such session.'],
  wh: ['not_found', 'There is no such webhook.'],
  mon: ['not_found', 'There is no such monitor.'],
  whd: ['not_found', 'The webhook has no such delivery.'],
  dst: ['not_found', 'There is no such destination.'],
  psh: ['not_found', 'The destination has no such push.'],
  mbx: ['not_found', 'There is no such mailbox.'],
  seq: ['not_found', 'There is no such sequence.'],
  apr: ['not_found', 'There is no such approval.'],
  thr: ['not_found', 'There is no such thread.'],
  msg: ['not_found', 'There is no such message.'],
  drf: ['not_found', 'There is no such draft.'],
  sup: ['not_found', 'There is no such suppression.'],
  svcbatch: ['not_found', 'There is no such batch.'],
} as const satisfies Partial<Record<IdPrefix, readonly [ErrorCode, string]>>;

/**
 * Checks an id from a path before any query. Text that cannot be an id gets the same error as an id that does not exist.
 * @throws AppError the resource's 404
 */
export function requireId(prefix: keyof typeof MISSING, id: string): string {
  if (isId(prefix, id)) return id;
  const [code, message] = MISSING[prefix];
  throw new AppError(code, message);
}
