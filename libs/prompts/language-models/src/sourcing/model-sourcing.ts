import type { ModelAsk } from '../language-model.port.js';
import { CandidateFinding, type FoundCandidate } from './candidate-finding.js';
import { CandidateEvaluation } from './candidate-evaluation.js';
import type { SourcedCandidate, SourcingOutcome, SourcingStep, SourcingTask } from './sourcing.js';

/**
 * Sourcing with a language model, as a machine over a journal: the same steps with the same outcomes lead to the same candidates. The
 * model looks for candidates; each is looked for in the exclusion lists, then evaluated by its own pages, before the model goes on looking.
 * It only says which step comes next; its caller performs it.
 */
export class ModelSourcing {
  private readonly finding: CandidateFinding;
  /** Found, and not yet looked for in the exclusion lists. */
  private unchecked: FoundCandidate[] = [];
  /** Wait to be evaluated. */
  private readonly waiting: FoundCandidate[] = [];
  private evaluation: CandidateEvaluation | null = null;
  /** Evaluated, and not yet taken by {@link takeEvaluated}. */
  private evaluated: SourcedCandidate[] = [];
  /** Of companies that were evaluated: one may be found under two names before its site is known. */
  private readonly domains = new Set<string>();
  private fitting = 0;
  private excludedCount = 0;
  private evaluatedPages = 0;

  constructor(private readonly task: SourcingTask) {
    this.finding = new CandidateFinding(task);
  }

  /** Candidates so far that an exclusion list names. */
  get excluded(): number {
    return this.excludedCount;
  }

  /** Pages that were read. */
  get pageCount(): number {
    return this.finding.pageCount + this.evaluatedPages;
  }

  /** @returns what is to be done next; null when enough was found, or nothing more can be. Asked again, it says the same. */
  next(): SourcingStep | null {
    if (this.fitting >= this.task.count) return null;
    if (this.unchecked.length > 0)
      return {
        kind: 'check',
        candidates: this.unchecked.map(({ site: domain, linkedin_url }) => ({ domain, linkedin_url })),
      };
    return this.evaluation ? this.evaluation.next() : this.finding.conversation.next();
  }

  /** Takes what a step gave; the step is the one of {@link next}, or the one that the journal has. */
  apply(step: SourcingStep, outcome: SourcingOutcome): void {
    if (step.kind === 'check' || outcome.kind === 'check') {
      if (outcome.kind === 'check') this.takeCheck(outcome.excluded);
    } else if (this.evaluation) {
      if (outcome.kind === 'read' && outcome.page) this.evaluatedPages += 1;
      this.evaluation.apply(step, outcome);
    } else {
      this.finding.conversation.apply(step, outcome);
      this.unchecked = this.finding.takeFound();
    }
    this.goOn();
  }

  /** @returns what the next step that thinks asks of the model; see {@link ModelResearch.ask} */
  ask(leftMs: number, leftCredits: number): Omit<ModelAsk, 'signal'> {
    return (this.evaluation ?? this.finding.conversation).ask(leftMs, leftCredits);
  }

  /** @returns candidates that were evaluated since this was asked last, in the order in which they were found */
  takeEvaluated(): SourcedCandidate[] {
    const evaluated = this.evaluated;
    this.evaluated = [];
    return evaluated;
  }

  /**
   * Nothing more can be paid, or there is no time: who was found stands with what is proved by then. Only who was looked for in the
   * exclusion lists is among them.
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

  /** Ends who is finished, and begins with who waits. */
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
