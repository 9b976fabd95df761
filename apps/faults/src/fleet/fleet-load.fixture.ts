import { systemCtx } from '@quarry/app';
import type { Database } from '@quarry/postgres';
import { ApiClient, ClientHistory } from '@quarry/testing';

/** Milliseconds between two rounds of the load: seven processes on two cores also have to do the accepted work. */
const ASK_EVERY_MS = 500;
/** Every so many rounds, a run is started in addition to batches. */
const ROUNDS_OF_A_RUN = 4;
/** Number of batches that are sent again at the end: the first and the last ones. */
const REPEATS = 5;
const SYSTEM = systemCtx('fleet-spec');

/** Clients that read and write continuously, using all gateways in turn, and record every answer. */
export class FleetLoad {
  readonly history: ClientHistory;
  /** Ids of accepted runs. */
  readonly runs: string[] = [];
  longestMs = 0;
  /** Number of answers to reads and writes by status; 0 is a broken connection. */
  readonly answers: Record<number, number> = {};
  private readonly requests: Array<Promise<unknown>> = [];
  private readonly timer: NodeJS.Timeout;
  private rounds = 0;
  private static loads = 0;
  /** Part of the idempotency keys of calls, which are never used by two loads. */
  private readonly id = (FleetLoad.loads += 1);
  private turn = 0;
  /** Call that the next round repeats. */
  private repeatable: Promise<number> | null = null;

  /** Counter for names of people, which are never used by two loads. */
  private static people = 0;

  constructor(
    private readonly gateways: readonly string[],
    private readonly apiKey: string,
  ) {
    this.history = new ClientHistory(() => this.gateways[(this.turn += 1) % this.gateways.length]!, apiKey);
    this.timer = setInterval(() => void this.ask(), ASK_EVERY_MS);
  }

  /** Declares that a part is unavailable: a 5xx in the envelope is then a correct answer. */
  set isOutage(value: boolean) {
    this.history.isOutage = value;
  }

  /** @returns the statuses of the answers of one round; 0 for an answer that never came */
  ask(): Promise<number[]> {
    this.rounds += 1;
    const people = [FleetLoad.person('ok'), FleetLoad.person('slow-1s'), FleetLoad.person('slow-2s')];
    const reads = ['/credits', '/v1/workspaces', '/v1/runs?limit=1', '/v1/services/jobs?status=failed'];
    const answers = [
      this.timed(this.history.send(`load-${people[0]!.first_name as string}`, people)),
      ...reads.map((path) => this.timed(this.history.call('GET', path))),
      ...this.calls(),
      ...(this.rounds % ROUNDS_OF_A_RUN === 0 ? [this.timed(this.startRun())] : []),
    ];
    this.requests.push(...answers);
    return Promise.all(answers);
  }

  /** Sends batches of a hundred lines each, checked by the history. @throws Error when one was not accepted */
  async sendLines(count: number, behaviour: string): Promise<void> {
    for (let sent = 0; sent < count; sent += 100) {
      const people = Array.from({ length: Math.min(100, count - sent) }, () => FleetLoad.person(behaviour));
      const { batchId, status } = await this.history.send(`lines-${people[0]!.first_name as string}`, people);
      if (batchId === null) throw new Error(`The list was answered ${status}.`);
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.requests);
  }

  /** Sends the first and the last batches again. @returns the contradictions between the answers and the database */
  async broken(database: Database): Promise<string[]> {
    await this.stop();
    this.history.isOutage = false;
    const { lists } = this.history;
    for (const list of new Set([...lists.slice(0, REPEATS), ...lists.slice(-REPEATS)]))
      await this.history.repeat({ ...list, batchId: list.batchId! });
    const kept = await database.query<{ id: string }>(
      SYSTEM,
      'SELECT id FROM runs.runs WHERE id = ANY ($1)',
      [this.runs],
    );
    const lost = this.runs.length - kept.length;
    return [
      ...(await this.history.broken(database)),
      ...(lost > 0 ? [`${lost} accepted runs are lost`] : []),
    ];
  }

  private static person(behaviour: string): Record<string, unknown> {
    return { first_name: `F${++FleetLoad.people}`, last_name: 'Doe', domain: `${behaviour}.vendor.test` };
  }

  /** Makes two calls of a fast service, and repeats one of the previous round, which is refused until the first one has ended. */
  private calls(): Array<Promise<number>> {
    const call = (n: number): Promise<number> =>
      this.timed(
        this.history.callService(`call-${this.id}-${n}`, 'validatePhone', {
          phone: `+12125550${100 + (n % 100)}`,
        }),
      );
    const n = 2 * this.rounds;
    const repeated = this.repeatable?.then(() => call(n - 2)) ?? [];
    this.repeatable = call(n);
    return [this.repeatable, call(n + 1), repeated].flat();
  }

  private async startRun(): Promise<{ status: number }> {
    const api = new ApiClient(this.gateways[(this.turn += 1) % this.gateways.length]!, this.apiKey);
    const wasOutage = this.history.isOutage;
    const { status, body } = await api
      .post<{ id: string }>('/v1/runs', { prompt: '3 software companies in Berlin' })
      .catch(() => ({ status: 0, body: { id: '' } }));
    if (status === 202) this.runs.push(body.id);
    else if (!wasOutage && !this.history.isOutage) this.history.badAnswers.push(`run: ${status}`);
    return { status };
  }

  private async timed(answer: Promise<{ status: number }>): Promise<number> {
    const from = performance.now();
    const { status } = await answer;
    this.longestMs = Math.max(this.longestMs, performance.now() - from);
    this.answers[status] = (this.answers[status] ?? 0) + 1;
    return status;
  }
}
