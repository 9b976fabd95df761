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
  /** Answers that broke the contract: a 5xx, a body that is no envelope, or one that holds what is another's. */
  readonly badAnswers: string[] = [];
  /** While PostgreSQL is declared to be away, a 5xx in the envelope is a right answer. */
  isOutage = false;

  constructor(
    private readonly baseUrl: string,
    private readonly apiKey: string,
    /** Texts that only other organisations have sent: no answer to this one may hold them. */
    private readonly canaries: readonly string[] = [],
  ) {}

  /** Any other call; its answer is judged like those of the lists. @returns its status and body */
  async call(method: 'GET' | 'POST', path: string): Promise<{ status: number; text: string }> {
    const response = await fetch(`${this.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.apiKey}`, 'content-type': 'application/json' },
      ...(method === 'POST' ? { body: '{}' } : {}),
    });
    const { status } = response;
    const text = await response.text();
    this.judge(status, text);
    return { status, text };
  }

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
    this.judge(response.status, text);
    if (response.ok) {
      const { batch_id: batchId } = JSON.parse(text) as { batch_id: string };
      return { outcome: 'ok', status: response.status, batchId };
    }
    // A failure inside says nothing about the commit.
    const outcome = response.status >= 500 ? 'unknown' : 'refused';
    return { outcome, status: response.status, batchId: null };
  }

  private judge(status: number, text: string): void {
    for (const canary of this.canaries)
      if (text.toLowerCase().includes(canary)) this.badAnswers.push(`shows another's ${canary}: ${text}`);
    if (status >= 500 && !this.isOutage) this.badAnswers.push(`${status}: ${text}`);
    if (status < 400) return;
    const { error } = JSON.parse(text) as Envelope;
    if (typeof error?.code !== 'string' || typeof error.message !== 'string')
      this.badAnswers.push(`not an envelope: ${text}`);
    if (SQL_TEXT.test(text)) this.badAnswers.push(`shows the inside: ${text}`);
  }
}

/** Lists keep their order, objects their keys in any. */
function sorted(inputs: readonly unknown[]): string {
  return JSON.stringify(
    inputs.map((input) => Object.entries(input as object).sort(([a], [b]) => a.localeCompare(b))),
  );
}
