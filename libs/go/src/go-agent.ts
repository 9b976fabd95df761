import { Inject, Injectable } from '@nestjs/common';
import { CreditLedger, toCredits } from '@quarry/credit-ledger';
import { LanguageModelError, type ResearchStep } from '@quarry/models';
import { Database, isDatabaseUnavailable, LOGGER, type Logger, type TxCtx } from '@quarry/platform';
import { continuing, inSpan } from '@quarry/tracing';
import { GoAccessRevokedError, GoCancelledError, GoGuard, GoHandedBackError } from './go-guard.js';
import { GoJournal } from './go-journal.js';
import {
  GoLeaseLostError,
  GoLeaseStore,
  LOSSES_MAX,
  type GoRunEnd,
  type LeasedGoRun,
} from './go-lease.store.js';
import { GoResearches, type GoResearch } from './go-researches.js';
import { GoSteps, keptOf, type GoOutcome, type KeptOutcome } from './go-steps.js';
import { STEP_PRICES, timeOf } from './go-terms.js';
import { GoKeyAccessPort } from './ports/key-access.port.js';

type Reason = GoRunEnd['stopReason'];

/** Works on Go runs: takes the lease, does step by step what the research asks for, charges what was used and writes the end. */
@Injectable()
export class GoAgent {
  private readonly inFlight = new Set<Promise<void>>();

  constructor(
    private readonly database: Database,
    private readonly ledger: CreditLedger,
    private readonly leases: GoLeaseStore,
    private readonly journal: GoJournal,
    private readonly steps: GoSteps,
    private readonly researches: GoResearches,
    private readonly keys: GoKeyAccessPort,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Works on a run until it has ended or turned out to be another process's. Never throws. */
  work(runId: string, stopping: AbortSignal): Promise<void> {
    const work = this.perform(runId, stopping).catch((error: unknown) => {
      // The lease runs out, and another process goes on: nothing is lost by stopping here.
      this.logger.error({ err: error, runId }, 'a Go run could not be worked on');
    });
    this.inFlight.add(work);
    return work.finally(() => this.inFlight.delete(work));
  }

  /** Resolves when no run is in hand. */
  async drained(): Promise<void> {
    await Promise.all(this.inFlight);
  }

  private async perform(runId: string, stopping: AbortSignal): Promise<void> {
    const run = await this.leases.claim(runId);
    if (!run) return;
    const facts = { 'quarry.run_id': run.id };
    const span = { kind: 'consumer', name: 'go run', facts } as const;
    await continuing(run.traceparent, span, () => this.performLeased(run, stopping));
  }

  private async performLeased(run: LeasedGoRun, stopping: AbortSignal): Promise<void> {
    if (run.losses >= LOSSES_MAX) return this.fail(run, 'The run lost its worker three times.');
    const research = this.researches.of(run);
    // It was accepted while there was somebody.
    if (!research) return this.fail(run, 'Nobody here reads pages any more.');
    const guard = new GoGuard(this.leases, run, this.keys, stopping);
    let used = 0;
    const spend = (cost: number): void => void (used += cost);
    try {
      const reason = await this.research(run, research, guard, { used: () => used, spend });
      await this.end(run, research, reason, used);
    } catch (error) {
      await this.endBy(run, research, error, used);
    } finally {
      guard.close();
    }
  }

  /** Goes on from the last finished step. @returns why there is no further step */
  private async research(
    run: LeasedGoRun,
    research: GoResearch,
    guard: GoGuard,
    { used, spend }: { used: () => number; spend: (cost: number) => void },
  ): Promise<Reason> {
    const endsAt = performance.now() + timeOf(run.request) - run.elapsedMs;
    let position = 0;
    let begun = null;
    for (const { step, done, ...known } of await this.journal.stepsOf<KeptOutcome>(run)) {
      position = known.position;
      begun = done ? null : step;
      if (!done) break;
      research.apply(step, await this.restored(run, done.result));
      spend(done.cost);
      position += 1;
    }
    for (; ; position += 1) {
      await guard.checkpoint();
      const step = begun ?? research.next();
      if (!step) return 'complete';
      // What is read is worth nothing unless the model, where there is one, can still say what follows from it.
      const reserve = research.ask && step.kind !== 'think' ? STEP_PRICES.think : 0;
      const left = run.held - used() - STEP_PRICES[step.kind];
      if (left < 0 && reserve === 0) return 'budget';
      const leftMs = endsAt - performance.now();
      if (leftMs <= 0) return 'time';
      if (!begun) await this.journal.begin(run, position, step);
      begun = null;
      const answer =
        reserve > 0 && left < reserve
          ? unaffordable(step)
          : await inSpan('internal', `step ${step.kind}`, { 'quarry.run_id': run.id }, () =>
              this.steps.perform(run, step, position, {
                signal: guard.signal,
                ask: () => research.ask!(leftMs, toCredits(left)),
              }),
            ).catch((error: unknown) => {
              guard.throwIfTaken();
              if (!(error instanceof LanguageModelError)) throw error;
              // The model was given no more time than the run has.
              if (performance.now() >= endsAt) return null;
              if (error.failure === 'invalid_output') return unreadable();
              throw error;
            });
      if (!answer) return 'time';
      const { outcome, cost } = answer;
      guard.throwIfTaken();
      await this.journal.finish(run, position, { ...keptOf(outcome), cost });
      research.apply(step, outcome);
      spend(cost);
    }
  }

  private async restored(run: LeasedGoRun, kept: KeptOutcome) {
    if (kept.kind !== 'read' || kept.page === null) return kept as Exclude<KeptOutcome, { kind: 'read' }>;
    const text = await this.journal.textOf(run, kept.page.sha256);
    // A text that was erased meanwhile proves nothing any more.
    return text === null
      ? { kind: 'read' as const, page: null, fault: 'The page is not kept any more.' }
      : { ...kept, page: { ...kept.page, text } };
  }

  private async endBy(run: LeasedGoRun, research: GoResearch, error: unknown, used: number): Promise<void> {
    if (error instanceof GoLeaseLostError) return;
    if (error instanceof GoHandedBackError) return this.leases.release(run);
    // A database that went away says nothing about the run: its lease runs out and another process takes it.
    if (isDatabaseUnavailable(error)) throw error;
    if (error instanceof GoCancelledError) return this.end(run, research, 'cancelled', used);
    if (error instanceof GoAccessRevokedError) return this.fail(run, error.message);
    if (error instanceof LanguageModelError)
      return this.fail(run, `The language model failed: ${error.failure}.`);
    this.logger.error({ err: error, runId: run.id }, 'a Go run ended with a surprise');
    return this.fail(run, 'The run hit an unexpected error.');
  }

  /** Publishes what is proved and charges what was used; nothing, where no page was read. */
  private async end(run: LeasedGoRun, research: GoResearch, reason: Reason, used: number): Promise<void> {
    const { output, basis, proofs } = research.verified();
    const status = reason === 'cancelled' ? 'cancelled' : 'completed';
    const stopReason = reason === 'complete' && proofs.length === 0 ? 'no_evidence' : reason;
    const charged = research.pageCount === 0 ? 0 : used;
    await this.write(run, charged, { status, stopReason, output, basis, proofs, failure: null });
  }

  private async fail(run: LeasedGoRun, failure: string): Promise<void> {
    const nothing = { output: null, basis: [], proofs: [] };
    await this.write(run, 0, { status: 'failed', stopReason: 'error', ...nothing, failure });
  }

  /** One transaction: a charge never stands without the end, nor the end without its charge. */
  private async write(
    run: LeasedGoRun,
    charged: number,
    end: Omit<GoRunEnd, 'charged' | 'remaining'>,
  ): Promise<void> {
    await this.database
      .transaction(run.ctx, async (tx: TxCtx) => {
        const { kind } =
          charged > 0
            ? await this.ledger.post(tx, run.holdId, charged)
            : await this.ledger.void(tx, run.holdId);
        if (kind === 'refused') throw new GoLeaseLostError('The run has ended elsewhere.');
        const { available } = await this.ledger.balance(tx);
        await this.leases.end(tx, run, { ...end, charged, remaining: available });
      })
      .catch((error: unknown) => {
        if (!(error instanceof GoLeaseLostError)) throw error;
      });
  }
}

/** @returns what the model is told of a page or a search that the budget does not allow, for nothing */
function unaffordable({ kind }: ResearchStep): { outcome: GoOutcome; cost: number } {
  const fault = 'The budget does not allow another one: hand in what the pages that were read prove.';
  return {
    outcome: kind === 'read' ? { kind, page: null, fault } : { kind: 'search', items: [], fault },
    cost: 0,
  };
}

/** @returns an answer of the model that cannot be read: it is paid, and of no use; the next one may be better */
function unreadable(): { outcome: GoOutcome; cost: number } {
  return {
    outcome: { kind: 'think', answer: { text: '', toolCalls: [], finish: 'stop' } },
    cost: STEP_PRICES.think,
  };
}
