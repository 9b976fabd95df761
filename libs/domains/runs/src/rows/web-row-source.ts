import { Inject, Injectable } from '@nestjs/common';
import { toCredits } from '@quarry/credit-ledger';
import { formatCount } from '@quarry/service-catalog';
import type { StepJournal } from '@quarry/durable-work';
import type { FitStatus } from '@quarry/dto';
import {
  LANGUAGE_MODEL,
  LanguageModelError,
  ModelSourcing,
  rowOfCandidate,
  taskOf,
  type LanguageModel,
  type SourcedCandidate,
  type SourcingOutcome,
  type SourcingStep,
  type WebPlan,
} from '@quarry/language-models';
import { derivedId } from '@quarry/app';
import {
  performResearch,
  ResearchBudget,
  ResearchEnded,
  ResearchSteps,
  ResearchWebs,
  type DoneStep,
  type StepLimits,
  type ResearchWeb,
} from '@quarry/research';
import { RunFailure } from '../execution/run-failure.error.js';
import type { RunGuard } from '../execution/run-guard.js';
import type { LeasedRun } from '../execution/run-lease.store.js';
import { ExclusionPort, TableWriterPort } from '../ports/table-writer.port.js';
import type { RowToEnrich } from '../columns/enrich-request.js';
import { RunAccount, sourcingSteps, type SourcingHold } from '../run-account.js';

/** Reason why the search for rows has ended. */
type Reason = 'complete' | 'budget' | 'time' | 'model' | 'insufficient' | 'capped';

/** Result of sourcing the rows of a table. */
export interface SourcedFromWeb {
  /** Rows with the values that later steps need. */
  rows: RowToEnrich[];
  /** Sentences for the run's message. */
  summary: string;
}

/** Position and reason of the last step. */
interface End {
  position: number;
  reason: Reason;
}

/** Longer pages are cut, because the journal stores what a step has read. */
const PAGE_CHARACTERS_MAX = 200_000;

/** Sources the rows of a table from the web, step by step, and appends each row as soon as it is evaluated. */
@Injectable()
export class WebRowSource {
  constructor(
    private readonly steps: ResearchSteps,
    private readonly webs: ResearchWebs,
    private readonly account: RunAccount,
    private readonly tables: TableWriterPort,
    private readonly exclusions: ExclusionPort,
    @Inject(LANGUAGE_MODEL) private readonly model: LanguageModel | null,
  ) {}

  /**
   * Continues after the last finished step.
   * @throws RunFailure when the web cannot be searched any more, or the model failed before anything was found; what the guard
   * throws
   */
  async sourceRows(
    run: LeasedRun,
    journal: StepJournal,
    guard: RunGuard,
    { plan, tableId, index }: { plan: WebPlan; tableId: string; index: number },
  ): Promise<SourcedFromWeb> {
    const web = await this.webs.openWeb(run.ctx);
    if (!this.model || !web.pages)
      throw new RunFailure(
        'agent_execution_failed',
        'No provider that searches the web is configured any longer.',
      );
    const names = sourcingSteps(index);
    const hold = await this.account.holdCredits(run, journal, names, plan.source.max_credits * 1000);
    const budget = new ResearchBudget(hold.amount, true);
    const sourcing = new ModelSourcing(taskOf(plan));
    const table = new SourcedTable(run, this.tables, plan, tableId);
    const reason =
      hold.refusal ??
      (await this.lookForRows(run, journal, guard, { web, hold, names, budget, sourcing, table }));
    sourcing.stop();
    await table.append(sourcing.takeEvaluated());
    if (reason === 'model' && table.isEmpty)
      throw new RunFailure('agent_execution_failed', 'The language model failed.');
    if (!hold.refusal) await this.account.keepUsed(run, journal, names);
    return table.end(reason, {
      cost: formatCount(toCredits(budget.used), 'credit'),
      excluded: sourcing.excluded,
    });
  }

  private async lookForRows(
    run: LeasedRun,
    journal: StepJournal,
    guard: RunGuard,
    parts: {
      web: ResearchWeb;
      hold: SourcingHold;
      names: ReturnType<typeof sourcingSteps>;
      budget: ResearchBudget;
      sourcing: ModelSourcing;
      table: SourcedTable;
    },
  ): Promise<Reason> {
    const { web, hold, names, budget, sourcing, table } = parts;
    const ended = await journal.resultOf<End>(names.end);
    // Another agent that takes over must get the same rows, so a failure is final.
    const endAt = async (position: number, reason: Reason): Promise<Reason> =>
      (
        await journal.runStep(
          names.end,
          (): End => ({ position, reason }),
          (end) => Promise.resolve(end),
        )
      ).reason;
    const leftMs = (): number => hold.endsAt - Date.now();
    try {
      const { position, reason } = await performResearch<SourcingStep, SourcingOutcome, Reason>({
        research: sourcing,
        budget,
        leftMs,
        beforeStep: async (at) => {
          await table.append(sourcing.takeEvaluated());
          await guard.checkpoint();
          if (at === ended?.position) throw new ResearchEnded(ended.reason);
        },
        keep: ({ position: at }, begin, perform) => journal.runStep(names.at(at), begin, perform),
        perform: (step, at, ask) =>
          this.performStep(run, step, at, { web, signal: guard.signal, ask }).catch(
            async (error: unknown) => {
              await guard.checkpoint();
              if (!(error instanceof LanguageModelError)) throw error;
              // A model that is cut off at the end of the time has not failed.
              throw new ResearchEnded<Reason>(leftMs() <= 0 ? 'time' : 'model');
            },
          ),
      });
      return reason === 'time' || reason === 'model' ? await endAt(position, reason) : reason;
    } catch (error) {
      // When the process is stopping, the step was only interrupted and another agent repeats it; a cancelled run ends.
      await guard.checkpoint();
      throw error;
    }
  }

  private async performStep(
    run: LeasedRun,
    step: SourcingStep,
    position: number,
    limits: Pick<StepLimits, 'web' | 'signal' | 'ask'>,
  ): Promise<DoneStep<SourcingOutcome>> {
    if (step.kind === 'check') return { outcome: await this.checkExcluded(run, step.candidates), cost: 0 };
    const { outcome, cost } = await this.steps.performStep(step, {
      ...limits,
      pageId: `p${position + 1}`,
      searchId: `${run.id}_${position}`,
      allows: () => true,
    });
    if (outcome.kind !== 'read' || !outcome.page) return { outcome: outcome as SourcingOutcome, cost };
    const { stated: _stated, ...page } = outcome.page;
    return { outcome: { ...outcome, page: shortenPage(page) }, cost };
  }

  /** A person is excluded by the people list, or by the company list through the website. */
  private async checkExcluded(
    { ctx }: LeasedRun,
    candidates: ReadonlyArray<{ domain: string | null; linkedin_url: string | null }>,
  ): Promise<SourcingOutcome> {
    const lists = await Promise.all(
      (['companies', 'people'] as const).map((kind) => this.exclusions.excludedAmong(ctx, kind, candidates)),
    );
    return {
      kind: 'check',
      excluded: [...new Set(lists.flatMap((list) => [...list]))].sort((a, b) => a - b),
    };
  }
}

/** @returns the page without its middle when it is long: the structured data at its end is kept */
function shortenPage<Page extends { text: string; statedFrom: number }>(page: Page): Page {
  const { text, statedFrom } = page;
  if (text.length <= PAGE_CHARACTERS_MAX) return page;
  const stated = text.slice(statedFrom, statedFrom + PAGE_CHARACTERS_MAX / 4).toWellFormed();
  const words = text.slice(0, Math.min(statedFrom, PAGE_CHARACTERS_MAX - stated.length)).toWellFormed();
  return { ...page, text: words + stated, statedFrom: words.length };
}

/** The table under construction. */
class SourcedTable {
  private readonly rows: SourcedFromWeb['rows'] = [];
  private readonly fits: Record<FitStatus, number> = { qualified: 0, disqualified: 0, unknown: 0 };

  constructor(
    private readonly run: LeasedRun,
    private readonly tables: TableWriterPort,
    private readonly plan: WebPlan,
    private readonly tableId: string,
  ) {}

  get isEmpty(): boolean {
    return this.rows.length === 0;
  }

  async append(candidates: readonly SourcedCandidate[]): Promise<void> {
    const { run, tableId, plan } = this;
    const rows = candidates.flatMap((candidate) => {
      const { subject, ...row } = rowOfCandidate(plan, candidate);
      this.fits[row.fit.status] += 1;
      if (row.fit.status === 'disqualified' && !plan.source.keeps_disqualified) return [];
      // The id derives from the subject of the row, so a replay makes the same row and the table skips it.
      const id = derivedId('row', `${run.id}|${tableId}|${candidate.key}`);
      this.rows.push({ id, subject, evidence: row.values });
      return [{ id, ...row }];
    });
    if (rows.length > 0) await this.tables.appendRows(run.ctx, tableId, rows);
  }

  end(reason: Reason, { cost, excluded }: { cost: string; excluded: number }): SourcedFromWeb {
    const { plan, rows } = this;
    const noun = plan.entity === 'company' ? 'companies' : 'people';
    const { qualified, disqualified, unknown } = this.fits;
    const fitting = qualified + unknown;
    const sentences = [
      rows.length === 0
        ? `No ${noun} were found on the web: the table “${plan.table.name}” is empty.`
        : `${rows.length} ${noun} found on the web are in the table “${plan.table.name}”.`,
      ...(reason === 'complete' && fitting < plan.limit
        ? [`You asked for ${plan.limit}; no more were found.`]
        : []),
      ...(excluded > 0 ? [`${excluded} left out by your exclusion lists.`] : []),
      ...(disqualified > 0 && !plan.source.keeps_disqualified
        ? [`${disqualified} left out by the criteria.`]
        : []),
      `Fit: ${qualified} qualified, ${disqualified} disqualified, ${unknown} unknown.`,
      ...(REASONS[reason] ? [REASONS[reason]] : []),
      `The web search cost ${cost}.`,
    ];
    return { rows, summary: sentences.join(' ') };
  }
}

const REASONS: Readonly<Record<Reason, string>> = {
  complete: '',
  budget: 'The search stopped because its budget is spent.',
  time: 'The search stopped because its time is over.',
  model: 'The search stopped because the language model failed.',
  insufficient: 'The balance does not cover one step, which costs 1 credit, so nothing was searched.',
  capped: 'A spend cap is reached, so nothing was searched.',
};
