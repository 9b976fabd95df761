import { expect } from '@jest/globals';
import fc from 'fast-check';
import type { CreditLedger } from '@quarry/credit-ledger';
import { AppError } from '@quarry/error-codes';
import type { Ctx } from '@quarry/app';
import type { Database } from '@quarry/postgres';
import { findSlowService } from '@quarry/service-catalog';
import type { BatchStore } from '../batch.store.js';
import type { ClaimedJob, JobEnd, JobLeaseStore } from '../job-lease.store.js';
import type { JobsModel, ModelBatch, ModelLine } from './jobs.model.js';
import {
  type ModelJob,
  type ModelLease,
  OUTCOMES,
  type Outcome,
  type Search,
  type ServiceName,
} from './model-job.js';

/** Two organisations in the database, and the real lease of each lease of the model. */
export interface RealJobs {
  database: Database;
  store: BatchStore;
  leases: JobLeaseStore;
  ledger: CreditLedger;
  orgs: Ctx[];
  claimed: Map<ModelLease, ClaimedJob>;
  tally: { steps: number };
}

/**
 * A command for both the product and the model. Each decision about a line, a lease or a grant is one step. After each command
 * the batches that it can change, as clients read them, and both balances must match the model.
 */
abstract class JobsCommand implements fc.AsyncCommand<JobsModel, RealJobs> {
  check(_model: Readonly<JobsModel>): boolean {
    return true;
  }

  /** @returns the number of checked steps */
  protected abstract act(model: JobsModel, real: RealJobs): Promise<number>;

  async run(model: JobsModel, real: RealJobs): Promise<void> {
    const open = model.batches.filter(isOpen);
    const before = model.batches.length;
    const steps = await this.act(model, real);
    await expectAgreement(model, real, [...open, ...model.batches.slice(before)]);
    real.tally.steps += steps;
  }

  toString(): string {
    return `${this.constructor.name}(${JSON.stringify(Object.values(this)).slice(1, -1)})`;
  }
}

class TopUp extends JobsCommand {
  constructor(
    readonly org: number,
    readonly amount: number,
  ) {
    super();
  }

  protected async act(model: JobsModel, { ledger, orgs, tally }: RealJobs): Promise<number> {
    const ctx = orgs[this.org]!;
    const id = `${ctx.orgId}-${tally.steps}`;
    expect(await ledger.grantCredits(ctx, { id, amount: this.amount, reason: 'model' })).toBe(true);
    model.orgs[this.org]!.available += this.amount;
    return 1;
  }
}

class Accept extends JobsCommand {
  constructor(
    readonly org: number,
    readonly service: ServiceName,
    readonly searches: Search[],
    readonly fresh: boolean,
  ) {
    super();
  }

  protected async act(model: JobsModel, { store, orgs }: RealJobs): Promise<number> {
    const { org, service, searches, fresh } = this;
    const ctx = orgs[org]!;
    // Ids sort by creation, like the product's: the first waiting batch inherits a search.
    const batchId = `${ctx.orgId}-b${String(model.batches.length).padStart(4, '0')}`;
    const request = { batchId, service, fresh, inputs: searches.map((each) => inputOf(service, each)) };
    const batch = model.accept(batchId, model.orgs[org]!, service, searches, fresh);
    const accepted = await store.createBatch(ctx, request).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'insufficient_credits') return null;
      throw error;
    });
    expect(accepted !== null).toBe(batch !== null);
    if (!accepted || !batch) return searches.length;
    const lines = (JSON.parse(accepted.json) as BatchJson).jobs;
    batch.lines.forEach(({ job }, i) => (job.id ??= lines[i]!.job_id));
    expect(new Set(model.jobs.map((job) => job.id)).size).toBe(model.jobs.length);
    // The same id again creates nothing.
    expect(await store.createBatch(ctx, request)).toEqual(accepted);
    return searches.length;
  }
}

class Cancel extends JobsCommand {
  constructor(readonly batch: number) {
    super();
  }

  override check(model: Readonly<JobsModel>): boolean {
    return model.batches.length > 0;
  }

  protected async act(model: JobsModel, { store, orgs }: RealJobs): Promise<number> {
    const batch = recent(model.batches, this.batch);
    model.cancel(batch);
    await store.cancelBatch(orgs[model.orgs.indexOf(batch.org)]!, batch.id);
    return 1;
  }
}

/** Makes completed answers older than the seven days in which they are reused. */
class Age extends JobsCommand {
  protected async act(model: JobsModel, { database, orgs }: RealJobs): Promise<number> {
    for (const job of model.jobs) job.completedAt = null;
    await database.query(
      { ...orgs[0]!, orgId: '' },
      `UPDATE jobs.jobs SET completed_at = completed_at - interval '7 days' WHERE org_id = ANY ($1) AND state = 'completed'`,
      [orgs.map((ctx) => ctx.orgId)],
    );
    return 1;
  }
}

class Claim extends JobsCommand {
  constructor(readonly jobs: number[]) {
    super();
  }

  override check(model: Readonly<JobsModel>): boolean {
    return model.jobs.length > 0;
  }

  protected async act(model: JobsModel, { leases, claimed }: RealJobs): Promise<number> {
    const jobs = this.jobs.map((n) => recent(model.jobs, n));
    const expected = model.claim(jobs);
    const seen = await Promise.all(jobs.map((job) => leases.claimJobs(job.id!)));
    expect(seen.map((job) => job?.id ?? null)).toEqual(expected.map((lease) => lease?.job.id ?? null));
    expected.forEach((lease, i) => lease && claimed.set(lease, seen[i]!));
    return jobs.length;
  }
}

/** Expires a lease, as when its worker hangs. */
class Expire extends JobsCommand {
  constructor(readonly lease: number) {
    super();
  }

  override check(model: Readonly<JobsModel>): boolean {
    return model.leases.length > 0;
  }

  protected async act(model: JobsModel, real: RealJobs): Promise<number> {
    await expire(real, recent(model.leases, this.lease).job);
    return 1;
  }
}

async function expire({ database, orgs }: RealJobs, job: ModelJob): Promise<void> {
  if (job.lease) job.lease.isOld = true;
  await database.query(
    { ...orgs[0]!, orgId: '' },
    `UPDATE jobs.jobs SET lease_until = clock_timestamp() - interval '1 second' WHERE id = $1 AND lease_token IS NOT NULL`,
    [job.id],
  );
}

/** A command with several leases at once, including leases that were lost without their owner knowing. */
abstract class OfLeases extends JobsCommand {
  constructor(readonly leases: number[]) {
    super();
  }

  override check(model: Readonly<JobsModel>): boolean {
    return model.leases.length > 0;
  }

  protected chosen(model: JobsModel): ModelLease[] {
    return [...new Set(this.leases.map((n) => recent(model.leases, n)))];
  }
}

class Start extends OfLeases {
  protected async act(model: JobsModel, { leases, claimed }: RealJobs): Promise<number> {
    // A worker starts a lease once.
    const chosen = this.chosen(model).filter((lease) => !lease.hasStarted);
    const seen = await Promise.all(chosen.map((lease) => leases.startJobs(claimed.get(lease)!)));
    expect(seen).toEqual(chosen.map((lease) => model.start(lease)));
    return chosen.length;
  }
}

class Renew extends OfLeases {
  protected async act(model: JobsModel, { leases, claimed }: RealJobs): Promise<number> {
    const chosen = this.chosen(model);
    const jobs = chosen.map((lease) => claimed.get(lease)!);
    const { renewed } = await leases.renewLeases(jobs);
    expect(jobs.map((job) => renewed.has(job.token))).toEqual(chosen.map((lease) => model.renew(lease)));
    return chosen.length;
  }
}

class Release extends OfLeases {
  constructor(
    leases: number[],
    readonly hasCalled: boolean,
  ) {
    super(leases);
  }

  protected async act(model: JobsModel, { leases, claimed }: RealJobs): Promise<number> {
    const chosen = this.chosen(model);
    const hasCalled = (lease: ModelLease) => lease.hasStarted && this.hasCalled;
    await leases.releaseJobs(
      chosen.map((lease) => ({ job: claimed.get(lease)!, hasCalled: hasCalled(lease) })),
    );
    for (const lease of chosen) model.release(lease, hasCalled(lease));
    return chosen.length;
  }
}

class Settle extends OfLeases {
  constructor(
    leases: number[],
    readonly outcome: Outcome,
  ) {
    super(leases);
  }

  protected async act(model: JobsModel, { leases, claimed }: RealJobs): Promise<number> {
    // Of two answers about one person in one statement, either may count as the newer one, so only one is settled.
    const chosen = this.chosen(model).filter(
      (lease, i, all) =>
        lease.hasStarted && !all.slice(0, i).some(({ job }) => job !== lease.job && job.isAbout(lease.job)),
    );
    const seen = await Promise.all(
      chosen.map((lease) => leases.settleJobs(claimed.get(lease)!, endOf(lease.job, this.outcome))),
    );
    expect(seen).toEqual(chosen.map((lease) => model.settle(lease, this.outcome)));
    return chosen.length;
  }
}

class SettleAboveTheHold extends OfLeases {
  protected async act(model: JobsModel, { leases, claimed }: RealJobs): Promise<number> {
    const [lease] = this.chosen(model);
    const end = { ...endOf(lease!.job, 'find'), charge: lease!.job.price + 1 };
    expect(await leases.settleJobs(claimed.get(lease!)!, end)).toBe(false);
    return 1;
  }
}

/** A command for a job that a worker claims. Random commands alone would rarely combine these steps. */
abstract class OfOneJob extends JobsCommand {
  constructor(readonly job: number) {
    super();
  }

  override check(model: Readonly<JobsModel>): boolean {
    return model.jobs.some((job) => job.isOpen);
  }

  protected async takeUp(model: JobsModel, { leases, claimed }: RealJobs): Promise<ModelLease | null> {
    const open = model.jobs.filter((each) => each.isOpen);
    const job = recent(open, this.job);
    const [lease] = model.claim([job]);
    const seen = await leases.claimJobs(job.id!);
    expect(seen !== null).toBe(lease !== null);
    if (lease && seen) claimed.set(lease, seen);
    return lease!;
  }
}

class Work extends OfOneJob {
  constructor(
    job: number,
    readonly outcome: Outcome,
  ) {
    super(job);
  }

  protected async act(model: JobsModel, real: RealJobs): Promise<number> {
    const lease = await this.takeUp(model, real);
    if (!lease) return 1;
    const seen = real.claimed.get(lease)!;
    expect(await real.leases.startJobs(seen)).toBe(model.start(lease));
    const end = endOf(lease.job, this.outcome);
    expect(await real.leases.settleJobs(seen, end)).toBe(model.settle(lease, this.outcome));
    return 3;
  }
}

/** Loses one worker after the other, before or after the start of its call. */
class LoseWorkers extends OfOneJob {
  constructor(
    job: number,
    readonly haveStarted: boolean[],
  ) {
    super(job);
  }

  protected async act(model: JobsModel, real: RealJobs): Promise<number> {
    let steps = 0;
    for (const hasStarted of this.haveStarted) {
      if (!model.jobs.some((job) => job.isOpen)) break;
      const lease = await this.takeUp(model, real);
      steps += 1;
      if (!lease) continue;
      if (hasStarted) expect(await real.leases.startJobs(real.claimed.get(lease)!)).toBe(model.start(lease));
      await expire(real, lease.job);
      steps += hasStarted ? 2 : 1;
    }
    return steps;
  }
}

/** Compares batches and both balances with the database. @throws Jest's error with the difference */
export async function expectAgreement(
  model: JobsModel,
  real: RealJobs,
  batches: ModelBatch[],
): Promise<void> {
  const [lists, sums] = await Promise.all([
    Promise.all(batches.map((batch) => readBatch(model, real, batch))),
    Promise.all(real.orgs.map((ctx) => real.ledger.readBalance(ctx))),
  ]);
  expect(lists).toEqual(batches.map(shownBatch));
  expect(sums.map(({ available, reserved, spent }) => ({ available, reserved, spent }))).toEqual(
    model.orgs.map((org) => ({ ...org })),
  );
}

function isOpen({ lines }: ModelBatch): boolean {
  return lines.some((line) => !line.isCancelled && line.job.isOpen);
}

interface BatchJson {
  status: string;
  counts: Record<string, number>;
  jobs: Array<{ job_id: string; status: string; attempt: number; reused: boolean; error?: { code: string } }>;
}

async function readBatch(model: JobsModel, { store, orgs }: RealJobs, { org, id }: ModelBatch) {
  const { json } = await store.readBatch(orgs[model.orgs.indexOf(org)]!, id);
  const { status, counts, jobs } = JSON.parse(json) as BatchJson;
  const lines = jobs.map((job) => [job.job_id, job.status, job.attempt, job.reused, job.error?.code ?? null]);
  return { status, counts, lines };
}

function shownBatch({ lines }: ModelBatch) {
  const stateOf = ({ job, isCancelled }: ModelLine) => (isCancelled ? 'cancelled' : job.state);
  const counts = { queued: 0, running: 0, completed: 0, failed: 0, cancelled: 0 };
  for (const line of lines) counts[stateOf(line)] += 1;
  return {
    status:
      counts.queued + counts.running > 0
        ? counts.queued === lines.length
          ? 'queued'
          : 'running'
        : 'completed',
    counts,
    lines: lines.map((line) => [
      line.job.id,
      stateOf(line),
      line.isCancelled ? 0 : line.job.attempt,
      line.reused,
      stateOf(line) === 'failed' ? line.job.error : null,
    ]),
  };
}

function inputOf(service: ServiceName, { person, deep, isThin }: Search): Record<string, unknown> {
  if (service !== 'getEmail')
    return { linkedin_url: isThin ? ' ' : `https://www.linkedin.com/in/person-${person}` };
  const named = { first_name: `First${person}`, last_name: 'Last', deep };
  return isThin ? named : { ...named, domain: 'acme.example' };
}

function endOf({ service, search }: ModelJob, outcome: Outcome): JobEnd {
  const { state, found, deep } = OUTCOMES[outcome];
  const charge = findSlowService(service)!.charge(inputOf(service, search), { found, deep });
  const provider = 'scripted';
  return state === 'completed'
    ? { state, result: { found }, provider, charge }
    : { state, error: { code: 'provider_error', message: 'It failed.' }, provider, charge };
}

/** Returns one of the latest dozen items, which usually matter most. */
function recent<T>(all: readonly T[], n: number): T {
  return all.at(-1 - (n % Math.min(all.length, 12)))!;
}

const pick = fc.nat({ max: 11 });
const picks = fc.array(pick, { minLength: 1, maxLength: 8, size: 'max' });
const outcome = fc.constantFrom(...(Object.keys(OUTCOMES) as Outcome[]));
const search = fc.record({
  person: fc.nat({ max: 3 }),
  deep: fc.boolean(),
  isThin: fc.nat({ max: 9 }).map((n) => n === 0),
});
const accept = fc
  .tuple(
    fc.nat({ max: 1 }),
    fc.constantFrom<ServiceName[]>('getEmail', 'getEmail', 'getLinkedInUserComments'),
    fc.array(search, { minLength: 1, maxLength: 6, size: 'max' }),
    fc.nat({ max: 5 }).map((n) => n === 0),
  )
  .map((args) => new Accept(...args));

export const JOBS_COMMANDS: fc.Arbitrary<JobsCommand>[] = [
  fc.tuple(fc.nat({ max: 1 }), fc.integer({ min: 500, max: 9000 })).map((args) => new TopUp(...args)),
  accept,
  accept,
  picks.map((jobs) => new Claim(jobs)),
  picks.map((jobs) => new Claim(jobs)),
  picks.map((leases) => new Start(leases)),
  fc.tuple(picks, outcome).map((args) => new Settle(...args)),
  fc.tuple(pick, outcome).map((args) => new Work(...args)),
  fc
    .tuple(
      pick,
      fc.oneof(
        fc.array(fc.boolean(), { minLength: 1, maxLength: 3, size: 'max' }),
        fc.constant<boolean[]>([false, false, false, false, false, false]),
      ),
    )
    .map((args) => new LoseWorkers(...args)),
  picks.map((leases) => new SettleAboveTheHold(leases)),
  picks.map((leases) => new Renew(leases)),
  fc.tuple(picks, fc.boolean()).map((args) => new Release(...args)),
  pick.map((lease) => new Expire(lease)),
  pick.map((batch) => new Cancel(batch)),
  fc.constant(new Age()),
];
