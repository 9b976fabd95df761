import { systemCtx, type Database } from '@quarry/platform';

/** How a call of a client ended: answered, refused in the envelope, or nobody knows (the connection broke). */
export type CallOutcome = 'ok' | 'refused' | 'unknown';

export interface ClientCall {
  key: string;
  outcome: CallOutcome;
  status: number;
  batchId: string | null;
  inputs: ReadonlyArray<Record<string, unknown>>;
  tookMs: number;
}

interface Envelope {
  error?: { code?: unknown; message?: unknown };
}

const SQL_TEXT = /40P01|40001|deadlock|SELECT |INSERT |UPDATE |jobs\.jobs/;

/**
 * Sends lists as a client does and keeps what each call was told. Afterwards it compares that with the database: an
 * acknowledged list exists whole and in order, a list of unknown end exists whole or not at all, and one key never
 * made two lists.
 */
export class ClientHistory {
  readonly calls: ClientCall[] = [];
  /** Answers that broke the contract: a 5xx, or a body that is no envelope. */
  readonly badAnswers: string[] = [];
  /** While PostgreSQL is declared to be away, a 5xx in the envelope is a right answer. */
  isOutage = false;

  constructor(
    private readonly baseUrl: string,
    private readonly apiKey: string,
  ) {}

  async send(key: string, inputs: ReadonlyArray<Record<string, unknown>>): Promise<ClientCall> {
    const askedAt = performance.now();
    const told = await this.ask(key, inputs).catch(() => ({
      outcome: 'unknown' as const,
      status: 0,
      batchId: null,
    }));
    const call = { key, inputs, tookMs: performance.now() - askedAt, ...told };
    this.calls.push(call);
    return call;
  }

  /** @returns what the database holds that the answers deny, and the other way round */
  async broken(database: Database): Promise<string[]> {
    const rows = await database.query<{ id: string; key: string; inputs: unknown[] }>(
      systemCtx('history'),
      `SELECT b.id, b.idempotency_key AS key, jsonb_agg(j.input ORDER BY l.input_index) AS inputs
       FROM jobs.batches b JOIN jobs.lines l ON l.batch_id = b.id JOIN jobs.jobs j ON j.id = l.job_id
       WHERE b.idempotency_key IS NOT NULL GROUP BY b.id`,
    );
    const byKey = new Map(rows.map((row) => [row.key, row]));
    const broken = [...this.badAnswers];
    for (const { key, outcome, batchId, inputs } of this.calls) {
      const made = byKey.get(key);
      if (outcome === 'ok' && made?.id !== batchId)
        broken.push(`the list ${batchId} of key ${key} was acknowledged and is not there`);
      if (made && sorted(made.inputs) !== sorted(inputs))
        broken.push(`the list of key ${key} is not what was sent`);
    }
    return broken;
  }

  private async ask(
    key: string,
    inputs: ClientCall['inputs'],
  ): Promise<Pick<ClientCall, 'outcome' | 'status' | 'batchId'>> {
    const response = await fetch(`${this.baseUrl}/v1/services/jobs/batch`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.apiKey}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify({ service: 'getEmail', inputs }),
    });
    const text = await response.text();
    const body = JSON.parse(text) as Envelope & { batch_id?: string };
    if (response.status >= 500 && !this.isOutage) this.badAnswers.push(`${response.status}: ${text}`);
    if (response.ok) return { outcome: 'ok', status: response.status, batchId: body.batch_id ?? null };
    if (typeof body.error?.code !== 'string' || typeof body.error.message !== 'string')
      this.badAnswers.push(`not an envelope: ${text}`);
    if (SQL_TEXT.test(text)) this.badAnswers.push(`shows the inside: ${text}`);
    // A failure inside says nothing about the commit.
    const outcome = response.status >= 500 ? 'unknown' : 'refused';
    return { outcome, status: response.status, batchId: null };
  }
}

/** Lists keep their order, objects their keys in any. */
function sorted(inputs: readonly unknown[]): string {
  return JSON.stringify(
    inputs.map((input) => Object.entries(input as object).sort(([a], [b]) => a.localeCompare(b))),
  );
}
