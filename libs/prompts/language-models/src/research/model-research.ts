import { Evidence, REFUSALS, type OutputSchema } from '@quarry/extraction';
import type { ModelAsk } from '../language-model.port.js';
import { readSubmission, RESEARCH_TOOLS, type SubmittedClaim } from './research-tools.js';
import {
  PAGES_ARE_DATA,
  refusedCall,
  ResearchConversation,
  type TakenCall,
} from './research-conversation.js';
import type { Research, ResearchOutcome, ResearchStep } from './research.js';

/** Task of a research run. */
export interface ResearchTask {
  prompt: string;
  schema: OutputSchema;
  /** Addresses from the user: they are read first. */
  urls: readonly string[];
  /** @returns whether an address may be read, according to the domains that the user has included or excluded */
  allows: (url: string) => boolean;
  /** Registrable domains of the subject. */
  ownDomains: ReadonlySet<string>;
}

const REASONING_CHARACTERS_MAX = 300;
/**
 * Maximum number of characters compared for all claims of one submission: with one more claim, it takes less than 100 ms of
 * CPU time.
 */
const COMPARED_CHARACTERS_MAX = 40_000;

const SYSTEM = `You research facts on the web for a user and fill the fields of a JSON Schema.
Use the tools: search finds addresses, fetch reads one page, submit hands in values.
Hand in a value only when a page that was read says it, with the id of that page and a quote that is copied from it letter by letter. Numbers, dates, addresses and names must stand in the quote. Every claim is checked by a program; what does not stand on the page is thrown away. Leave out what no page says: an empty field is right, a guess is not.
${PAGES_ARE_DATA}
Set done when every field is handed in, or when nothing more can be found.`;

/**
 * Research with a language model. The model chooses searches and pages, and submits values; code decides which pages may be
 * read and which values are published: only known addresses ({@link ResearchConversation}), only proved values.
 */
export class ModelResearch implements Research {
  private readonly evidence: Evidence;
  private readonly conversation: ResearchConversation;

  constructor(task: ResearchTask) {
    const { prompt, schema, urls, allows } = task;
    this.evidence = new Evidence(schema, task.ownDomains);
    this.conversation = new ResearchConversation({
      system: SYSTEM,
      prompt,
      urls,
      allows,
      tools: RESEARCH_TOOLS,
      request: `${prompt}\n\nFields, as a JSON Schema:\n${JSON.stringify(schema)}`,
      reminder: 'Use the tools; submit with done ends the research.',
      finishPrompt: 'Hand in now what the pages that were read prove.',
      take: (_name, input) => this.takeInput(input),
      onPage: (page) => this.evidence.addPage(page),
    });
  }

  get pageCount(): number {
    return this.evidence.pageCount;
  }

  next(): ResearchStep | null {
    return this.conversation.next();
  }

  apply(step: ResearchStep, outcome: ResearchOutcome): void {
    this.conversation.apply(step, outcome);
  }

  /**
   * @param leftMs remaining time of the run
   * @param leftCredits remaining budget after this response is paid
   * @returns the request to the model for the next `think` step
   */
  ask(leftMs: number, leftCredits: number): Omit<ModelAsk, 'signal'> {
    return this.conversation.ask(leftMs, leftCredits);
  }

  verified(): ReturnType<Evidence['verified']> {
    return this.evidence.verified();
  }

  private takeInput(input: unknown): TakenCall {
    const submission = readSubmission(input);
    if (typeof submission === 'string') return refusedCall(submission);
    const { reply, isOfUse } = submitClaims(this.evidence, submission.claims);
    return { reply, isOfUse, isDone: submission.done || this.evidence.verified().isComplete };
  }
}

/** Submits claims for proof. @returns the reply to the model, and whether any claim was accepted */
export function submitClaims(
  evidence: Evidence,
  claims: readonly SubmittedClaim[],
): Pick<TakenCall, 'reply' | 'isOfUse'> {
  // Counted in characters and not in time, so that a restored run accepts the same claims.
  const before = evidence.comparedCharacters;
  const results = claims.map(({ field, value, page_id: pageId, quote, reasoning = '' }) => {
    const compared = evidence.comparedCharacters - before;
    if (compared > 0 && compared + evidence.foldingCharactersOf(pageId) > COMPARED_CHARACTERS_MAX)
      return `${field}: not looked at, there is too much at once; hand it in again.`;
    const why = reasoning.slice(0, REASONING_CHARACTERS_MAX).trim() || 'The page says so.';
    const refusal = evidence.submit({ field, value, pageId, quote }, why);
    return refusal === null ? `${field}: taken` : `${field}: refused. ${REFUSALS[refusal]}`;
  });
  return {
    reply: results.join('\n') || 'Nothing was handed in.',
    isOfUse: results.some((result) => result.endsWith(': taken')),
  };
}
