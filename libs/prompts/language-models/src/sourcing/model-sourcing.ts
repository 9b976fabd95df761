import type { ModelAsk } from '../language-model.port.js';
import { CandidateFinding, type FoundCandidate } from './candidate-finding.js';
import { CandidateJudging } from './candidate-judging.js';
import type { SourcedCandidate, SourcingOutcome, SourcingStep, SourcingTask } from './sourcing.js';

/**
 * Sourcing with a language model, as a machine over a journal: the same steps with the same outcomes lead to the same candidates. The
 * model looks for candidates; each is looked for in the exclusion lists, then judged by its own pages, before the model goes on looking.
 * It only says which step comes next; its caller performs it.
 */
export class ModelSourcing {
  private readonly finding: CandidateFinding;
  /** Found, and not yet looked for in the exclusion lists. */
  private unchecked: FoundCandidate[] = [];
  /** Wait to be judged. */
  private readonly waiting: FoundCandidate[] = [];
  private judging: CandidateJudging | null = null;
  /** Judged, and not yet taken by {@link takeJudged}. */
  private judged: SourcedCandidate[] = [];
  /** Of companies that were judged: one may be found under two names before its site is known. */
  private readonly domains = new Set<string>();
  private fitting = 0;
  private excludedCount = 0;
  private judgedPages = 0;

  constructor(private readonly task: SourcingTask) {
    this.finding = new CandidateFinding(task);
  }

  /** Candidates so far that an exclusion list names. */
  get excluded(): number {
    return this.excludedCount;
  }

  /** Pages that were read. */
  get pageCount(): number {
    return this.finding.pageCount + this.judgedPages;
  }

  /** @returns what is to be done next; null when enough was found, or nothing more can be. Asked again, it says the same. */
  next(): SourcingStep | null {
    if (this.fitting >= this.task.count) return null;
    if (this.unchecked.length > 0)
      return {
        kind: 'check',
        candidates: this.unchecked.map(({ site: domain, linkedin_url }) => ({ domain, linkedin_url })),
      };
    return this.judging ? this.judging.next() : this.finding.conversation.next();
  }

  /** Takes what a step gave; the step is the one of {@link next}, or the one that the journal has. */
  apply(step: SourcingStep, outcome: SourcingOutcome): void {
    if (step.kind === 'check' || outcome.kind === 'check') {
      if (outcome.kind === 'check') this.takeCheck(outcome.excluded);
    } else if (this.judging) {
      if (outcome.kind === 'read' && outcome.page) this.judgedPages += 1;
      this.judging.apply(step, outcome);
    } else {
      this.finding.conversation.apply(step, outcome);
      this.unchecked = this.finding.takeFound();
    }
    this.goOn();
  }

  /** @returns what the next step that thinks asks of the model; see {@link ModelResearch.ask} */
  ask(leftMs: number, leftCredits: number): Omit<ModelAsk, 'signal'> {
    return (this.judging ?? this.finding.conversation).ask(leftMs, leftCredits);
  }

  /** @returns candidates that were judged since this was asked last, in the order in which they were found */
  takeJudged(): SourcedCandidate[] {
    const judged = this.judged;
    this.judged = [];
    return judged;
  }

  /**
   * Nothing more can be paid, or there is no time: who was found stands with what is proved by then. Only who was looked for in the
   * exclusion lists is among them.
   */
  stop(): void {
    if (this.judging) {
      this.judging.stop();
      this.finish(this.judging);
    }
    while (this.waiting.length > 0 && this.fitting < this.task.count) {
      const judging = this.judgingOf(this.waiting.shift()!);
      judging.stop();
      this.finish(judging);
    }
  }

  private takeCheck(excluded: readonly number[]): void {
    const isExcluded = new Set(excluded);
    this.waiting.push(...this.unchecked.filter((_, i) => !isExcluded.has(i)));
    this.excludedCount += isExcluded.size;
    this.unchecked = [];
  }

  /** Ends who is finished, and begins with who waits. */
  private goOn(): void {
    while (this.unchecked.length === 0 && this.fitting < this.task.count) {
      if (this.judging) {
        if (this.judging.next()) return;
        this.finish(this.judging);
        continue;
      }
      const next = this.waiting.shift();
      if (!next) return;
      this.judging = this.judgingOf(next);
    }
  }

  private judgingOf(candidate: FoundCandidate): CandidateJudging {
    return new CandidateJudging(this.task, candidate, this.finding.pagesOf(candidate));
  }

  private finish(judging: CandidateJudging): void {
    const candidate = judging.judged();
    this.judging = null;
    const { domain } = candidate;
    if (this.task.entity === 'company' && domain !== null) {
      if (this.domains.has(domain))
        return this.finding.conversation.say(
          `${JSON.stringify(candidate.name)} is known already by its site.`,
        );
      this.domains.add(domain);
    }
    this.judged.push(candidate);
    const isOut = this.isDisqualified(candidate);
    if (!isOut) this.fitting += 1;
    const { count } = this.task;
    this.finding.conversation.say(
      `${JSON.stringify(candidate.name)} was judged: ${isOut ? 'it does not fit' : 'it is taken'}. ${count - this.fitting} of ${count} are still wanted.`,
    );
  }

  /** Source: docs/contract.md#4-tables. */
  private isDisqualified({ verdicts }: SourcedCandidate): boolean {
    return this.task.criteria.some(({ effect }, i) => {
      const holds = verdicts[i]?.holds ?? null;
      return (effect === 'require' && holds === false) || (effect === 'exclude' && holds === true);
    });
  }
}
