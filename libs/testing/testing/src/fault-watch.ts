import type { Database } from '@quarry/postgres';
import { ClientHistory, type ClientCall } from './client-history.js';
import { brokenAttempts, brokenInvariants, type ProviderCallRecord } from './invariants.checker.js';
import { LeaseAudit } from './lease-audit.js';
import { StateSampler } from './state-sampler.js';

/** A name in all inputs of the watched organisation: no other organisation may ever read it. */
export const OWN_CANARY = 'Ownlastname';
const OTHER_ORG_CANARY = 'Othername';
const LOOK_EVERY_MS = 250;
/** Number of batches that are requested again at the end. */
const REPEATS = 10;

export interface FaultWatchOptions {
  database: Database;
  /** Runs a statement as the owner of the database. */
  asOwner: (sql: string) => Promise<void>;
  /** Returns the address of the API; called before each request, because a gateway may have been replaced. */
  apiUrl: () => string;
  /** Key of the organisation whose jobs meet the fault. */
  apiKey: string;
  /** Key of another organisation, which must not notice it. */
  otherOrgKey: string;
  /** Returns every call that the provider of the jobs has received. */
  calls: () => readonly ProviderCallRecord[];
  sampleEveryMs?: number;
}

/** Effects that a test permits its fault to have. */
export interface AllowedTraces {
  /** Attempts whose call never reached the vendor although no worker lost the job, as behind an open breaker. */
  attemptsWithoutCall?: number;
}

/**
 * All observers of a fault, from before it until the system is idle: the sampler of jobs and accounts, the audit of
 * leases, and two clients of two organisations that call the API continuously. At the end come the checker of the
 * database, the comparison of the vendor's log with the attempts, and repeated requests for the first and last batches, by
 * its owner and by another organisation.
 */
export class FaultWatch {
  private isOver = false;
  private outcome: Promise<Record<string, unknown>> | null = null;
  private looking: Promise<void> = Promise.resolve();

  private constructor(
    private readonly options: FaultWatchOptions,
    /** The organisation under test as a client. */
    readonly own: ClientHistory,
    private readonly otherOrg: ClientHistory,
    readonly audit: LeaseAudit,
    private readonly sampler: StateSampler,
  ) {}

  static async start(options: FaultWatchOptions): Promise<FaultWatch> {
    const { database, apiUrl, apiKey, otherOrgKey } = options;
    const watch = new FaultWatch(
      options,
      new ClientHistory(apiUrl, apiKey, [OTHER_ORG_CANARY]),
      new ClientHistory(apiUrl, otherOrgKey, [OWN_CANARY]),
      await LeaseAudit.install(database, options.asOwner),
      new StateSampler(database, options.sampleEveryMs).start(),
    );
    // Too little input for a search: the batch exists, and no worker ever processes it.
    const thin = [{ first_name: OTHER_ORG_CANARY, last_name: 'Doe' }];
    const { status } = await watch.otherOrg.send('other', thin);
    if (watch.otherOrg.lists.length === 0)
      throw new Error(`The API answers ${status}: there is nothing to watch.`);
    watch.looking = watch.lookOn();
    return watch;
  }

  /** Declares an outage: then a 5xx with an envelope is a correct response. */
  set isOutage(value: boolean) {
    this.own.isOutage = value;
    this.otherOrg.isOutage = value;
  }

  /** Suspends the watch while a test prepares past data. */
  unwatched(work: () => Promise<unknown>): Promise<void> {
    return this.sampler.unwatched(work);
  }

  /** Ends the watch of a test that has already failed. */
  async abandon(): Promise<void> {
    this.isOver = true;
    await Promise.allSettled([this.looking, this.sampler.stop()]);
  }

  /** Ends the watch; the API must still respond. @returns the violations; an empty object if there are none */
  findings(allowed: AllowedTraces = {}): Promise<Record<string, unknown>> {
    return (this.outcome ??= this.conclude(allowed));
  }

  private async conclude({ attemptsWithoutCall = 0 }: AllowedTraces): Promise<Record<string, unknown>> {
    this.isOver = true;
    await this.looking;
    const { database, calls } = this.options;
    this.isOutage = false;
    await this.askAgain();
    const [stale, stolen] = [await this.audit.staleWrites(), await this.audit.stolenLeases()];
    const found: Record<string, unknown[]> = {
      'seen by the sampler': await this.sampler.stop(),
      'lists and answers': [...(await this.own.broken(database)), ...(await this.otherOrg.broken(database))],
      'attempts and calls': await brokenAttempts(database, calls(), attemptsWithoutCall),
      'leases given while another stood': stolen > 0 ? [stolen] : [],
      'writes with a superseded token': stale.accepted > 0 ? [stale] : [],
      ...(await brokenInvariants(database)),
    };
    return Object.fromEntries(Object.entries(found).filter(([, items]) => items.length > 0));
  }

  private async lookOn(): Promise<void> {
    while (!this.isOver) {
      const own = this.own.lists.at(-1)?.batchId;
      await Promise.all([
        this.own.call('GET', own ? pathOf(own) : '/credits'),
        this.otherOrg.call('GET', pathOf(this.otherOrg.lists[0]!.batchId!)),
        own && this.otherOrg.call('GET', pathOf(own)).then(({ status }) => this.mustBeHidden(status)),
      ]);
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }

  /** Checks a response: a replaced gateway may break a connection, and a limit may refuse; none may reveal the data. */
  private mustBeHidden(status: number): void {
    if (status >= 200 && status < 300)
      this.otherOrg.badAnswers.push('an organisation was shown the list of another');
  }

  /** Requests the first and last batches again: as owner, as another organisation, with the same key and with another's. */
  private async askAgain(): Promise<void> {
    const lists = [...new Set([...this.own.lists.slice(0, REPEATS), ...this.own.lists.slice(-REPEATS)])];
    for (const list of lists) {
      await this.own.call('GET', pathOf(list.batchId!), 200);
      await this.otherOrg.call('GET', pathOf(list.batchId!), 404);
      await this.own.repeat(list as ClientCall & { batchId: string });
    }
    for (const client of [this.own, this.otherOrg])
      for (const path of ['/credits', '/credits/ledger', '/v1/services/jobs?limit=100'])
        await client.call('GET', path, 200);
  }
}

function pathOf(batchId: string): string {
  return `/v1/services/jobs/batch/${batchId}`;
}
