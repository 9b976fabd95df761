import { Inject, Injectable, Optional } from '@nestjs/common';
import { CreditLedger } from '@quarry/credit-ledger';
import type { GoRunReady } from '@quarry/dto';
import {
  AccessRevokedError,
  LeaseGuard,
  LeaseLostError,
  leaseTiming,
  WorkCancelledError,
  WorkHandedBackError,
  WorkHandler,
  type TurnEnd,
} from '@quarry/durable-work';
import { LanguageModelError, type ResearchStep } from '@quarry/language-models';
import { LOGGER, type Logger } from '@quarry/app';
import { Database, isDatabaseUnavailable, type TxCtx } from '@quarry/postgres';
import { performResearch, ResearchEnded } from '../research-loop.js';
import { ResearchBudget } from '../research-budget.js';
import { continuing, inSpan } from '@quarry/tracing';
import { GoJournal } from './go-journal.js';
import {
  GO_RUNS,
  GoLeaseStore,
  LEASE_LOSSES_MAX,
  type GoRunEnd,
  type LeasedGoRun,
} from './go-lease.store.js';
import { GoResearches, type GoResearch } from './go-researches.js';
import { GoSteps, keptOf, type GoOutcome, type KeptOutcome } from './go-steps.js';
import { timeOf } from './go-terms.js';
import { GoWaiters } from './go-waiters.js';
import { GoKeyAccessPort } from './ports/key-access.port.js';

type Reason = GoRunEnd['stopReason'];

/** Processes Go runs: takes the lease, performs the steps of the research, charges the cost and records the end. */
@Injectable()
export class GoAgent extends WorkHandler<GoRunReady> {
  constructor(
    private readonly database: Database,
    private readonly ledger: CreditLedger,
    private readonly leases: GoLeaseStore,
    private readonly journal: GoJournal,
    private readonly steps: GoSteps,
    private readonly researches: GoResearches,
    private readonly keys: GoKeyAccessPort,
    @Inject(LOGGER) logger: Logger,
    /** Held reads of this process, which need not wait for their next query. */
    @Optional() private readonly waiters?: GoWaiters,
  ) {
    super(GO_RUNS, logger);
  }

  async takeDue(): Promise<GoRunReady[]> {
    const lost = await this.leases.reapLost();
    if (lost.length > 0) this.logger.warn({ runs: lost }, 'Go runs lost their worker');
    return (await this.leases.takeSilent()).map((runId) => ({ runId }));
  }

  protected async performWork({ runId }: GoRunReady): Promise<TurnEnd> {
    const run = await this.leases.claimRun(runId);
    if (!run) return 'idle';
    const facts = { 'quarry.run_id': run.id };
    const span = { kind: 'consumer', name: 'go run', facts } as const;
    await continuing(run.traceparent, span, () => this.performLeased(run));
    void this.waiters?.checkEnds();
    return 'idle';
  }

  /** @returns the guard that renews the lease of a run, and ends its work when its key is revoked */
  private guardOf(run: LeasedGoRun): LeaseGuard {
    const { ctx } = run;
    const lease = {
      renew: () => this.leases.renewLease(run),
      readSignals: () => this.leases.readSignals(run),
      checkAccess: async () => {
        if (ctx.keyId !== null && (await this.keys.isKeyRevoked(ctx, ctx.keyId)))
          throw new AccessRevokedError('The key that started the run was revoked.');
      },
    };
    return new LeaseGuard(lease, leaseTiming(GO_RUNS.leaseMs), this.stopping);
  }

  private async performLeased(run: LeasedGoRun): Promise<void> {
    if (run.leaseLosses >= LEASE_LOSSES_MAX) return this.failRun(run, 'The run lost its worker three times.');
    const research = this.researches.openResearch(run);
    // The run was accepted while research was still configured here.
    if (!research) return this.failRun(run, 'No provider that reads pages is configured any longer.');
    const guard = this.guardOf(run);
    const budget = new ResearchBudget(run.held, research.ask !== undefined);
    try {
      const reason = await this.performResearch(run, research, guard, budget);
      await this.endRun(run, research, reason, budget.used);
    } catch (error) {
      await this.endBy(run, research, error, budget.used);
    } finally {
      guard.close();
    }
  }

  /** Continues after the last finished step. @returns the reason why there are no more steps */
  private async performResearch(
    run: LeasedGoRun,
    research: GoResearch,
    guard: LeaseGuard,
    budget: ResearchBudget,
  ): Promise<Reason> {
    const endsAt = performance.now() + timeOf(run.request) - run.elapsedMs;
    let position = 0;
    let begun: ResearchStep | null = null;
    for (const { step, done, ...known } of await this.journal.stepsOf<KeptOutcome>(run)) {
      position = known.position;
      begun = done ? null : step;
      if (!done) break;
      research.apply(step, await this.restoreOutcome(run, done.result));
      budget.addCost(done.cost);
      position += 1;
    }
    const leftMs = (): number => endsAt - performance.now();
    const { reason } = await performResearch<ResearchStep, GoOutcome>({
      budget,
      leftMs,
      from: position,
      research: {
        next: () => begun ?? research.next(),
        apply: (step, outcome) => research.apply(step, outcome),
        ask: (...left) => research.ask!(...left),
      },
      beforeStep: () => guard.checkpoint(),
      keep: async ({ position: at }, begin, perform) => {
        const step = begin();
        if (!begun) await this.journal.beginStep(run, at, step);
        begun = null;
        const { outcome, cost } = await perform(step);
        guard.throwIfTaken();
        await this.journal.finishStep(run, at, { ...keptOf(outcome), cost });
        return { outcome, cost };
      },
      perform: (step, at, ask) =>
        inSpan('internal', `step ${step.kind}`, { 'quarry.run_id': run.id }, () =>
          this.steps.performStep(run, step, at, { signal: guard.signal, ask }),
        ).catch((error: unknown) => {
          guard.throwIfTaken();
          // The timeout of the model is the remaining time of the run.
          if (error instanceof LanguageModelError && leftMs() <= 0) throw new ResearchEnded('time');
          throw error;
        }),
    });
    return reason;
  }

  private async restoreOutcome(run: LeasedGoRun, kept: KeptOutcome) {
    if (kept.kind !== 'read' || kept.page === null) return kept as Exclude<KeptOutcome, { kind: 'read' }>;
    const text = await this.journal.textOf(run, kept.page.sha256);
    // The text may have been erased since (erasure of a person), and then nothing can be quoted from the page.
    return text === null
      ? { kind: 'read' as const, page: null, fault: 'The page is no longer kept.' }
      : { ...kept, page: { ...kept.page, text } };
  }

  private async endBy(run: LeasedGoRun, research: GoResearch, error: unknown, used: number): Promise<void> {
    if (error instanceof LeaseLostError) return;
    if (error instanceof WorkHandedBackError) return this.leases.releaseRun(run);
    // A database outage says nothing about the run: its lease expires and another process takes it.
    if (isDatabaseUnavailable(error)) throw error;
    if (error instanceof WorkCancelledError) return this.endRun(run, research, 'cancelled', used);
    if (error instanceof AccessRevokedError) return this.failRun(run, error.message);
    if (error instanceof LanguageModelError)
      return this.failRun(run, `The language model failed: ${error.failure}.`);
    this.logger.error({ err: error, runId: run.id }, 'a Go run ended with an unexpected error');
    return this.failRun(run, 'The run hit an unexpected error.');
  }

  /** Publishes verified results and charges the cost; charges nothing if no page was read. */
  private async endRun(run: LeasedGoRun, research: GoResearch, reason: Reason, used: number): Promise<void> {
    const { output, basis, proofs } = research.verified();
    const status = reason === 'cancelled' ? 'cancelled' : 'completed';
    const stopReason = reason === 'complete' && proofs.length === 0 ? 'no_evidence' : reason;
    const charged = research.pageCount === 0 ? 0 : used;
    await this.writeEnd(run, charged, { status, stopReason, output, basis, proofs, failure: null });
  }

  private async failRun(run: LeasedGoRun, failure: string): Promise<void> {
    const nothing = { output: null, basis: [], proofs: [] };
    await this.writeEnd(run, 0, { status: 'failed', stopReason: 'error', ...nothing, failure });
  }

  /** Records the end and charges the run in one transaction: both are committed, or neither. */
  private async writeEnd(
    run: LeasedGoRun,
    charged: number,
    end: Omit<GoRunEnd, 'charged' | 'remaining'>,
  ): Promise<void> {
    await this.database
      .transaction(run.ctx, async (tx: TxCtx) => {
        const { kind } =
          charged > 0
            ? await this.ledger.postHold(tx, run.holdId, charged)
            : await this.ledger.voidHold(tx, run.holdId);
        if (kind === 'refused') throw new LeaseLostError('The run has ended elsewhere.');
        const { available } = await this.ledger.readBalance(tx);
        await this.leases.endRun(tx, run, { ...end, charged, remaining: available });
      })
      .catch((error: unknown) => {
        if (!(error instanceof LeaseLostError)) throw error;
      });
  }
}
