import { systemCtx } from '@quarry/app';
import type { Database } from '@quarry/postgres';

/** Outcome of a client's call: success, an error envelope, or unknown (the connection broke). */
export type CallOutcome = 'ok' | 'refused' | 'unknown';

export interface ClientCall {
  key: string;
  service: string;
  outcome: CallOutcome;
  status: number;
  batchId: string | null;
  inputs: ReadonlyArray<Record<string, unknown>>;
  tookMs: number;
}

/** A call of a fast service with a 200. */
interface AnsweredCall {
  key: string;
  text: string;
}

interface Envelope {
  error?: { code?: unknown; message?: unknown };
}

/** A call between services may take 10 s, and somewhat longer on a busy machine; a minute means a hang. */
const READ_TIMEOUT_MS = 60_000;
const SQL_TEXT = /40P01|40001|deadlock|SELECT |INSERT |UPDATE |jobs\.jobs/;

/**
 * Sends batches like a client and records the response to each call. Afterwards it compares them with the database: an
 * acknowledged batch exists completely and in order, a batch with unknown outcome exists completely or not at all, and no
 * key created two.
 */
export class ClientHistory {
  readonly calls: ClientCall[] = [];
  /** Responses that broke the contract: a 5xx, a body without an envelope, or data of another organisation. */
  readonly badAnswers: string[] = [];
  private readonly answeredCalls: AnsweredCall[] = [];
  /** True during a declared outage: then no response and a 5xx with an envelope are correct. */
  isOutage = false;

  /**
   * @param baseUrl returns the address of the API; called before each call
   * @param canaries texts that only other organisations have sent: no response to this one may contain them, in any case
   */
  constructor(
    private readonly baseUrl: () => string,
    private readonly apiKey: string,
    private readonly canaries: readonly string[] = [],
  ) {}

  /** Acknowledged batches. */
  get lists(): ClientCall[] {
    return this.calls.filter(({ outcome }) => outcome === 'ok');
  }

  /** Number of calls of fast services with a 200. */
  get callsAnswered(): number {
    return this.answeredCalls.length;
  }

  /**
   * Makes any other call; its response is checked like those of the batches. A broken connection is no response.
   * @param expected the only correct status outside of an outage; by default any but a 5xx or none
   * @returns status, 0 without a response, and body
   */
  async call(
    method: 'GET' | 'POST',
    path: string,
    expected?: number,
  ): Promise<{ status: number; text: string }> {
    const wasOutage = this.isOutage;
    const answer = await this.fetch(method, path, method === 'POST' ? '{}' : undefined).catch(
      (error: Error) => ({ status: 0, text: error.name }),
    );
    const { status, text } = answer;
    const isWrong = expected === undefined ? text === 'TimeoutError' : status !== expected;
    if (isWrong && !wasOutage && !this.isOutage)
      this.badAnswers.push(`${method} ${path}: ${status} instead of ${expected ?? 'any'}: ${text}`);
    return answer;
  }

  /** Sends a batch with an idempotency key. @returns the outcome, which is also recorded in {@link calls} */
  async send(
    key: string,
    inputs: ReadonlyArray<Record<string, unknown>>,
    service = 'getEmail',
  ): Promise<ClientCall> {
    const askedAt = performance.now();
    const answer = await this.ask(key, inputs, service).catch(() => ({
      outcome: 'unknown' as const,
      status: 0,
      batchId: null,
    }));
    const call = { key, service, inputs, tookMs: performance.now() - askedAt, ...answer };
    this.calls.push(call);
    return call;
  }

  /**
   * Calls a fast service with an idempotency key; the response is recorded and compared in {@link broken}.
   * @returns the status, 0 without a response
   */
  async callService(key: string, service: string, input: object): Promise<{ status: number }> {
    const headers = { 'idempotency-key': key };
    const path = `/services/${service}`;
    const { status, text } = await this.fetch('POST', path, JSON.stringify(input), headers).catch(() => ({
      status: 0,
      text: '',
    }));
    if (status === 200) this.answeredCalls.push({ key, text });
    return { status };
  }

  /** Repeats an acknowledged batch, and sends a different one with its key. */
  async repeat({ key, service, inputs, batchId }: ClientCall): Promise<void> {
    const again = await this.ask(key, inputs, service);
    if (again.batchId !== batchId)
      this.badAnswers.push(`key ${key} gave ${batchId}, then ${again.status} ${again.batchId}`);
    const others = inputs.length > 1 ? inputs.slice(1) : [...inputs, ...inputs];
    const other = await this.ask(key, others, service);
    if (other.status !== 409) this.badAnswers.push(`key ${key} with another list: ${other.status}`);
  }

  /** @returns contradictions between the database and the responses, in both directions */
  async broken(database: Database): Promise<string[]> {
    const rows = await database.query<{ id: string; key: string; inputs: unknown[] }>(
      systemCtx('history'),
      `SELECT b.id, b.idempotency_key AS key, jsonb_agg(j.input ORDER BY l.input_index) AS inputs
       FROM jobs.batches b JOIN jobs.lines l ON l.batch_id = b.id JOIN jobs.jobs j ON j.id = l.job_id
       WHERE b.idempotency_key IS NOT NULL GROUP BY b.id`,
    );
    const byKey = new Map(rows.map((row) => [row.key, row]));
    const broken = [...this.badAnswers, ...(await this.brokenCalls(database))];
    if (byKey.size < rows.length) broken.push('a key made more than one list');
    for (const { key, outcome, batchId, inputs } of this.calls) {
      const made = byKey.get(key);
      if (outcome === 'ok' && made?.id !== batchId)
        broken.push(`the list ${batchId} of key ${key} was acknowledged and is not there`);
      // If retention has emptied the inputs of a batch, only its length can be compared.
      const isWhole = made?.inputs.every((input) => input !== null)
        ? sorted(made.inputs) === sorted(inputs)
        : made?.inputs.length === inputs.length;
      if (made && !isWhole) broken.push(`the list of key ${key} is not what was sent`);
    }
    return broken;
  }

  /** @returns responses of fast services that are not stored as returned, and charges without a stored response */
  private async brokenCalls(database: Database): Promise<string[]> {
    if (this.answeredCalls.length === 0) return [];
    const ctx = systemCtx('history');
    const kept = await database.query<{ key: string; answer: string }>(
      ctx,
      "SELECT key, answer FROM requests.keys WHERE route LIKE 'services.fast.run %' AND answer IS NOT NULL",
    );
    const byKey = new Map(kept.map(({ key, answer }) => [key, answer]));
    const lost = this.answeredCalls.filter(({ key }) => !byKey.has(key));
    const charges = await database.queryOne<{ made: number }>(
      ctx,
      "SELECT count(*)::int AS made FROM credits.transfers WHERE kind = 'post' AND amount > 0 AND job_id IS NULL AND run_id IS NULL",
    );
    return [
      ...lost.map(({ key }) => `the call ${key} was answered, and its answer is not kept`),
      ...(charges!.made === kept.length
        ? []
        : [`${kept.length} calls were kept, and ${charges!.made} charged`]),
    ];
  }

  private async ask(
    key: string,
    inputs: ClientCall['inputs'],
    service: string,
  ): Promise<Pick<ClientCall, 'outcome' | 'status' | 'batchId'>> {
    const body = JSON.stringify({ service, inputs });
    const { status, text } = await this.fetch('POST', '/v1/services/jobs/batch', body, {
      'idempotency-key': key,
    });
    if (status < 300) {
      const { batch_id: batchId } = JSON.parse(text) as { batch_id: string };
      return { outcome: 'ok', status, batchId };
    }
    // After a 5xx it is unknown whether the transaction was committed.
    return { outcome: status >= 500 ? 'unknown' : 'refused', status, batchId: null };
  }

  private async fetch(
    method: string,
    path: string,
    body?: string,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; text: string }> {
    const wasOutage = this.isOutage;
    const response = await fetch(`${this.baseUrl()}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.apiKey}`, 'content-type': 'application/json', ...headers },
      signal: AbortSignal.timeout(READ_TIMEOUT_MS),
      ...(body === undefined ? {} : { body }),
    });
    const { status } = response;
    const text = await response.text();
    // A request that was sent during an outage may be answered after its end.
    this.checkAnswer(status, text, wasOutage || this.isOutage);
    return { status, text };
  }

  private checkAnswer(status: number, text: string, isOutage: boolean): void {
    for (const canary of this.canaries)
      if (text.toLowerCase().includes(canary.toLowerCase()))
        this.badAnswers.push(`shows another's ${canary}: ${text}`);
    if (status >= 500 && !isOutage) this.badAnswers.push(`${status}: ${text}`);
    if (status >= 400 && !isEnvelope(text)) this.badAnswers.push(`not an envelope: ${text}`);
    if (status >= 400 && SQL_TEXT.test(text)) this.badAnswers.push(`shows the inside: ${text}`);
  }
}

function isEnvelope(text: string): boolean {
  try {
    const { error } = JSON.parse(text) as Envelope;
    return typeof error?.code === 'string' && typeof error.message === 'string';
  } catch {
    return false;
  }
}

/** Serialises inputs: the order of lists matters, that of object keys does not. */
function sorted(inputs: readonly unknown[]): string {
  return JSON.stringify(
    inputs.map((input) => Object.entries(input as object).sort(([a], [b]) => a.localeCompare(b))),
  );
}
