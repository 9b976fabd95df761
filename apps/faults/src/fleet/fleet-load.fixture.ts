import { systemCtx } from '@quarry/app';
import type { Database } from '@quarry/postgres';
import { ApiClient, ClientHistory } from '@quarry/testing';

/** Between two rounds of the load: what is accepted is also worked on, by seven processes on two cores. */
const ASK_EVERY_MS = 500;
/** A round with a run: rounds of lists come that often between two. */
const ROUNDS_OF_A_RUN = 4;
/** Lists that are asked for again at the end, of the first and of the last. */
const REPEATS = 5;
const SYSTEM = systemCtx('fleet-spec');

/** Clients that ask and write without an end, on all gateways in turn, and keep what each was told. */
export class FleetLoad {
  readonly history: ClientHistory;
  /** Ids of the runs that were accepted. */
  readonly runs: string[] = [];
  longestMs = 0;
  /** Answers to reads and writes by status; 0 is a connection that broke. */
  readonly answers: Record<number, number> = {};
  private readonly requests: Array<Promise<unknown>> = [];
  private readonly timer: NodeJS.Timeout;
  private rounds = 0;
  private static loads = 0;
  /** Keys of calls are never used twice either. */
  private readonly id = (FleetLoad.loads += 1);
  private turn = 0;

  /** Names of people are never used twice, whatever the load before it has asked for. */
  private static people = 0;

  constructor(
    private readonly gateways: readonly string[],
    private readonly apiKey: string,
  ) {
    this.history = new ClientHistory(() => this.gateways[(this.turn += 1) % this.gateways.length]!, apiKey);
    this.timer = setInterval(() => void this.ask(), ASK_EVERY_MS);
  }

  /** Declares that what answers is away: a 5xx in the envelope is then a right answer. */
  set isOutage(value: boolean) {
    this.history.isOutage = value;
  }

  /** @returns the statuses of one round's answers, 0 for one that never came */
  ask(): Promise<number[]> {
    this.rounds += 1;
    const people = [FleetLoad.person('ok'), FleetLoad.person('slow-1s'), FleetLoad.person('slow-2s')];
    const reads = ['/credits', '/v1/workspaces', '/v1/runs?limit=1', '/v1/services/jobs?status=failed'];
    const answers = [
      this.timed(this.history.send(`load-${people[0]!.first_name as string}`, people)),
      ...reads.map((path) => this.timed(this.history.call('GET', path))),
      ...this.calls().map((call) => this.timed(call)),
      ...(this.rounds % ROUNDS_OF_A_RUN === 0 ? [this.timed(this.startRun())] : []),
    ];
    this.requests.push(...answers);
    return Promise.all(answers);
  }

  /** Sends lists of a hundred lines each with the history's checks. @throws Error when one was not accepted */
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

  /** Asks for the first and the last lists again. @returns what the answers and the database deny each other */
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

  /** Two calls of a fast service, and one of the round before again. */
  private calls(): Array<Promise<{ status: number }>> {
    const call = (n: number): Promise<{ status: number }> =>
      this.history.callService(`call-${this.id}-${n}`, 'validatePhone', {
        phone: `+12125550${100 + (n % 100)}`,
      });
    return [2 * this.rounds, 2 * this.rounds + 1, 2 * this.rounds - 2].filter((n) => n > 1).map(call);
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
