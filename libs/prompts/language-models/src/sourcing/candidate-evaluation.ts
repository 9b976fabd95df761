import { submitClaims } from '../research/model-research.js';
import {
  Evidence,
  pointerStep,
  proveQuote,
  ReadPageText,
  REFUSALS,
  type BasisEntry,
  type ProvedCitation,
} from '@quarry/extraction';
import {
  PAGES_ARE_DATA,
  refusedCall,
  ResearchConversation,
  type TakenCall,
} from '../research/research-conversation.js';
import type { FetchedPage, ResearchOutcome, ResearchStep } from '../research/research.js';
import type { FoundCandidate } from './candidate-finding.js';
import { tiedByOwnPage } from './own-site.js';
import { EVALUATION_TOOLS, readVerdicts, type SubmittedVerdict } from './sourcing-tools.js';
import type { CriterionVerdict, SourcedCandidate, SourcingTask } from './sourcing.js';

/** Maximum number of responses per candidate: its cost must leave budget for the others. */
const ANSWERS_MAX = 3;
const STEPS_MAX = 8;
const REASON_CHARACTERS_MAX = 300;

const SYSTEM = `You judge one company or person by criteria, and fill the fields of a JSON Schema, from pages about it.
Use the tools: search finds addresses, fetch reads one page, judge hands in verdicts and values.
A verdict says whether a criterion holds, with the id of a page that was read and a quote that is copied from it letter by letter and shows it. Say that it does not hold only when the page says so; leave a criterion out when no page says it: unknown is right, a guess is not. The same goes for values. Everything is checked by a program; what does not stand on the page is thrown away.
${PAGES_ARE_DATA}
Set done when everything is handed in, or when nothing more can be found.`;

const UNSAID = 'No page that was read proves it.';
const UNEVALUATED = 'Not judged: the budget or the time was spent.';

/**
 * Conversation in which a model evaluates one candidate. It sees only pages of this candidate, so that no page of another
 * one can make statements about it; a verdict counts only with a quote from such a page.
 */
export class CandidateEvaluation {
  private readonly conversation: ResearchConversation;
  private readonly evidence: Evidence;
  private readonly texts = new Map<string, { page: FetchedPage; text: ReadPageText }>();
  private readonly verdicts = new Map<number, CriterionVerdict>();
  private readonly why = new Map<number, string>();
  /** Proof that the site is its own; may be found on a page of the site that contains the name. */
  private siteCitation: ProvedCitation | null;
  private readonly ownDomains = new Set<string>();
  private steps = 0;
  private isStopped = false;

  /** @param known pages of its site that were already read */
  constructor(
    private readonly task: SourcingTask,
    private readonly candidate: FoundCandidate,
    known: readonly FetchedPage[],
  ) {
    const { fields, criteria, entity } = task;
    this.siteCitation = candidate.siteCitation;
    if (candidate.domain !== null) this.ownDomains.add(candidate.domain);
    this.evidence = new Evidence({ type: 'object', properties: fields }, this.ownDomains);
    const listed = criteria.map(({ text }, i) => `${i + 1}. ${text}`).join('\n');
    const schema = JSON.stringify({ type: 'object', properties: fields });
    const isKnown = known.some(({ url }) => url === candidate.url);
    this.conversation = new ResearchConversation({
      system: SYSTEM,
      prompt: '',
      urls: isKnown ? [] : [candidate.url],
      allows: () => true,
      tools: EVALUATION_TOOLS,
      request: `The ${entity}: ${JSON.stringify({ name: candidate.name, url: candidate.url })}\n\nCriteria:\n${listed}\n\nFields, as a JSON Schema:\n${schema}`,
      reminder: 'Use the tools; judge with done ends it.',
      finishPrompt: 'Judge now by the pages that were read.',
      take: (_name, input) => this.takeInput(input),
      onPage: (page) => {
        this.evidence.addPage(page);
        const text = new ReadPageText(page);
        this.texts.set(page.id, { page, text });
        const { name, site } = candidate;
        this.siteCitation ??= tiedByOwnPage(page, text, name, site);
        if (this.siteCitation && site !== null) this.ownDomains.add(site);
      },
    });
    for (const page of known) this.conversation.show(page);
  }

  /** @returns the next step; null when this candidate is finished */
  next(): ResearchStep | null {
    const isSpent = this.steps >= STEPS_MAX || this.conversation.answers >= ANSWERS_MAX;
    return this.isStopped || isSpent || this.hasNothingToCheck ? null : this.conversation.next();
  }

  apply(step: ResearchStep, outcome: ResearchOutcome): void {
    this.steps += 1;
    this.conversation.apply(step, outcome);
  }

  ask(leftMs: number, leftCredits: number): ReturnType<ResearchConversation['ask']> {
    return this.conversation.ask(leftMs, leftCredits);
  }

  /** Ends the evaluation: no further step is paid for this candidate. */
  stop(): void {
    this.isStopped = true;
  }

  /** @returns the candidate with the values proved so far */
  evaluatedCandidate(): SourcedCandidate {
    const { key, name, url, site, citation, linkedin_url } = this.candidate;
    const { siteCitation } = this;
    const domain = siteCitation && site;
    const byField = new Map(this.evidence.verified().basis.map((entry) => [entry.field, entry]));
    const values = Object.keys(this.task.fields).map((field): [string, BasisEntry] => [
      field,
      byField.get(pointerStep(field))!,
    ]);
    const unsaid = this.isStopped ? UNEVALUATED : UNSAID;
    const verdicts = this.task.criteria.map(
      (_, i): CriterionVerdict =>
        this.verdicts.get(i) ?? { holds: null, reason: this.why.get(i) ?? unsaid, citation: null },
    );
    return {
      key,
      name,
      url,
      domain,
      siteCitation,
      linkedin_url,
      citation,
      verdicts,
      isCutShort: this.isStopped,
      values: Object.fromEntries(values),
    };
  }

  private get hasNothingToCheck(): boolean {
    return this.task.criteria.length === 0 && Object.keys(this.task.fields).length === 0;
  }

  private takeInput(input: unknown): TakenCall {
    const submission = readVerdicts(input);
    if (typeof submission === 'string') return refusedCall(submission);
    const verdicts = submission.verdicts.map((each) => this.takeVerdict(each));
    const claims =
      submission.claims.length > 0
        ? submitClaims(this.evidence, submission.claims)
        : { reply: '', isOfUse: false };
    const isWhole =
      this.verdicts.size === this.task.criteria.length &&
      (Object.keys(this.task.fields).length === 0 || this.evidence.verified().isComplete);
    return {
      reply: [...verdicts, claims.reply].filter(Boolean).join('\n') || 'Nothing was handed in.',
      isOfUse: claims.isOfUse || verdicts.some((verdict) => verdict.endsWith(': taken')),
      isDone: submission.done || isWhole,
    };
  }

  /** @returns the reply to the model */
  private takeVerdict({ criterion, holds, page_id: pageId, quote, reason = '' }: SubmittedVerdict): string {
    const at = criterion - 1;
    if (!this.task.criteria[at]) return `criterion ${criterion}: refused. There is no such criterion.`;
    const texts = new Map([...this.texts].map(([id, { text }]) => [id, text]));
    const proof = proveQuote({ pageId, quote }, texts);
    if (proof.kind === 'refused') {
      this.why.set(at, REFUSALS[proof.refusal]);
      return `criterion ${criterion}: refused. ${REFUSALS[proof.refusal]}`;
    }
    const known = this.verdicts.get(at);
    const { page } = this.texts.get(pageId)!;
    this.verdicts.set(
      at,
      known && known.holds !== holds
        ? { holds: null, reason: 'Pages about it say both.', citation: null }
        : (known ?? {
            holds,
            reason: reason.slice(0, REASON_CHARACTERS_MAX).trim() || 'The page says so.',
            citation: {
              url: page.url,
              title: page.title,
              excerpt: proof.excerpt,
              retrieved_at: page.retrievedAt,
            },
          }),
    );
    return `criterion ${criterion}: taken`;
  }
}
