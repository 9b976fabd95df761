import type { ModelAsk } from '../language-model.port.js';
import { CandidateFinding, type FoundCandidate } from './candidate-finding.js';
import { CandidateEvaluation } from './candidate-evaluation.js';
import type { SourcedCandidate, SourcingOutcome, SourcingStep, SourcingTask } from './sourcing.js';

/**
 * Sourcing with a language model, as a state machine replayed from a journal: the same steps with the same outcomes lead to
 * the same candidates. The model searches candidates; each is checked against the exclusion lists, then evaluated with its
 * own pages, before the search continues. This class only returns the next step; its caller performs it.
 */
export class ModelSourcing {
  private readonly finding: CandidateFinding;
  /** Candidates that have not been checked against the exclusion lists. */
  private unchecked: FoundCandidate[] = [];
  /** Candidates that wait for their evaluation. */
  private readonly waiting: FoundCandidate[] = [];
  private evaluation: CandidateEvaluation | null = null;
  /** Evaluated candidates that {@link takeEvaluated} has not returned yet. */
  private evaluated: SourcedCandidate[] = [];
  /** Domains of evaluated companies: one may be found under two names before its site is known. */
  private readonly domains = new Set<string>();
  private fitting = 0;
  private excludedCount = 0;

  constructor(private readonly task: SourcingTask) {
    this.finding = new CandidateFinding(task);
  }

  /** Number of candidates so far that are on an exclusion list. */
  get excluded(): number {
    return this.excludedCount;
  }

  /**
   * @returns the next step; null when enough was found, or nothing more can be found. Calling it again returns the same step.
   */
  next(): SourcingStep | null {
    if (this.fitting >= this.task.count) return null;
    if (this.unchecked.length > 0)
      return {
        kind: 'check',
        candidates: this.unchecked.map(({ site: domain, linkedin_url }) => ({ domain, linkedin_url })),
      };
    return this.evaluation ? this.evaluation.next() : this.finding.conversation.next();
  }

  /** Applies the outcome of a step, which is the one from {@link next}, or the one in the journal. */
  apply(step: SourcingStep, outcome: SourcingOutcome): void {
    if (step.kind === 'check' || outcome.kind === 'check') {
      if (outcome.kind === 'check') this.takeCheck(outcome.excluded);
    } else if (this.evaluation) {
      this.evaluation.apply(step, outcome);
    } else {
      this.finding.conversation.apply(step, outcome);
      this.unchecked = this.finding.takeFound();
    }
    this.goOn();
  }

  /** @returns the request to the model for the next `think` step; see {@link ModelResearch.ask} */
  ask(leftMs: number, leftCredits: number): Omit<ModelAsk, 'signal'> {
    return (this.evaluation ?? this.finding.conversation).ask(leftMs, leftCredits);
  }

  /** @returns candidates that were evaluated since the last call, in the order in which they were found */
  takeEvaluated(): SourcedCandidate[] {
    const evaluated = this.evaluated;
    this.evaluated = [];
    return evaluated;
  }

  /**
   * Ends the search because the budget or the time is used up: candidates found so far are returned with the values proved
   * by then. Only candidates that were checked against the exclusion lists are included.
   */
  stop(): void {
    if (this.evaluation) {
      this.evaluation.stop();
      this.finishEvaluation(this.evaluation);
    }
    while (this.waiting.length > 0 && this.fitting < this.task.count) {
      const evaluation = this.evaluationOf(this.waiting.shift()!);
      evaluation.stop();
      this.finishEvaluation(evaluation);
    }
  }

  private takeCheck(excluded: readonly number[]): void {
    const isExcluded = new Set(excluded);
    this.waiting.push(...this.unchecked.filter((_, i) => !isExcluded.has(i)));
    this.excludedCount += isExcluded.size;
    this.unchecked = [];
  }

  /** Closes finished evaluations, and starts waiting ones. */
  private goOn(): void {
    while (this.unchecked.length === 0 && this.fitting < this.task.count) {
      if (this.evaluation) {
        if (this.evaluation.next()) return;
        this.finishEvaluation(this.evaluation);
        continue;
      }
      const next = this.waiting.shift();
      if (!next) return;
      this.evaluation = this.evaluationOf(next);
    }
  }

  private evaluationOf(candidate: FoundCandidate): CandidateEvaluation {
    return new CandidateEvaluation(this.task, candidate, this.finding.pagesOf(candidate));
  }

  private finishEvaluation(evaluation: CandidateEvaluation): void {
    const candidate = evaluation.evaluatedCandidate();
    this.evaluation = null;
    const { domain } = candidate;
    if (this.task.entity === 'company' && domain !== null) {
      if (this.domains.has(domain))
        return this.finding.conversation.say(
          `${JSON.stringify(candidate.name)} is known already by its site.`,
        );
      this.domains.add(domain);
    }
    this.evaluated.push(candidate);
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
