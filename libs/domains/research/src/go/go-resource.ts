import { toCredits } from '@quarry/credit-ledger';
import { GoRun, jsonText, type JsonText, type ResourceOf } from '@quarry/dto';

type GoRunJson = ResourceOf<JsonText<typeof GoRun>>;

/** The public columns of a row of `go.runs`. */
export interface ShownGoRun {
  id: string;
  status: string;
  stop_reason: string | null;
  output: unknown;
  basis: unknown;
  charged: string | number;
  remaining: string | number | null;
  error: unknown;
  created_at: string;
  completed_at: string | null;
}

/** @param available balance that can be spent now, in thousandths; only for a run that has not ended */
export function goRunText(row: ShownGoRun, available: number): JsonText<typeof GoRun> {
  const { id, status, stop_reason, output, basis, charged, remaining, error, created_at, completed_at } = row;
  return jsonText(GoRun, {
    ok: status !== 'failed',
    id,
    status: status as GoRunJson['status'],
    stop_reason: stop_reason as GoRunJson['stop_reason'],
    output,
    basis: basis as GoRunJson['basis'],
    credits: { charged: toCredits(Number(charged)), remaining: toCredits(Number(remaining ?? available)) },
    error: error as GoRunJson['error'],
    created_at,
    completed_at,
  });
}
