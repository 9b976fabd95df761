import { cleanText } from '@quarry/resilience';
import { registrableDomain } from '@quarry/dto';
import {
  LanguageModelError,
  ModelResearch,
  type LanguageModel,
  type ModelFailure,
  type ResearchOutcome,
  type ResearchStep,
} from '@quarry/language-models';
import {
  fullOutput,
  missOutput,
  ProviderFailure,
  savedBy,
  saveFor,
  type LookupProvider,
  type ProviderAnswer,
  type ProviderCall,
  type WebPages,
} from '@quarry/engine';
import { ResearchBudget, STEP_PRICES } from '../research-budget.js';
import { performResearch } from '../research-loop.js';
import { ResearchSteps } from '../research-steps.js';
import type { ResearchWeb } from '../research-web.js';
import { RESEARCH_TASKS, type ReadPhones, type ResearchTaskOf } from './research-tasks.js';

const CODES: Readonly<Record<ModelFailure, ProviderFailure['code']>> = {
  unavailable: 'provider_unavailable',
  rejected: 'provider_unavailable',
  rate_limited: 'capacity',
  timeout: 'timeout',
  invalid_output: 'invalid_output',
};

/** Result of a step that is expensive to repeat; pages are read again instead. */
type Paid = Exclude<ResearchOutcome, { kind: 'read' }>;

/**
 * Answers webResearch, and runs as the Deep agent of getEmail and getPhoneNumber after other providers found nothing: a
 * language model decides what to search and read, and code verifies the results ({@link ModelResearch}). Results of paid
 * steps are stored with the job, so that a worker that takes it over does not pay for them again.
 */
export class ResearchProvider implements LookupProvider {
  readonly id = 'research';
  readonly services = Object.keys(RESEARCH_TASKS);

  private readonly steps: ResearchSteps;

  /** @param pages reader of pages. @param readPhones parser of telephone numbers */
  constructor(
    model: LanguageModel,
    private readonly pages: Pick<WebPages, 'readPage'>,
    private readonly readPhones: ReadPhones,
  ) {
    this.steps = new ResearchSteps(model);
  }

  acceptsCall({ service, input }: ProviderCall): boolean {
    return !RESEARCH_TASKS[service]!.isDeep || input.deep === true;
  }

  /**
   * @throws ProviderFailure; `provider_unavailable` if there is neither a search engine nor a page to start with
   * @throws SearchLostError; the signal's reason if it fires
   */
  async answerCall(call: ProviderCall): Promise<ProviderAnswer> {
    const task = RESEARCH_TASKS[call.service]!;
    const urls = task.urls(call.input);
    // The search engine of the tenant, which may have disabled the operator's, or have a key of its own.
    const web = { pages: this.pages, engine: (await call.lookupFor?.('webSearch')) ?? null };
    if (urls.length === 0 && !web.engine)
      throw this.failureOf(
        'provider_unavailable',
        'No search engine is configured: give the urls of pages to start from.',
      );
    call.onCall?.();
    const research = new ModelResearch({
      prompt: task.prompt(call.input),
      schema: task.schema,
      urls,
      allows: isWebAddress,
      ownDomains: ownDomainsOf(call.input),
    });
    try {
      await this.performTask(call, task, { research, web });
    } catch (error) {
      call.signal.throwIfAborted();
      if (!(error instanceof LanguageModelError)) throw error;
      // Earlier results are paid and verified, so they are returned. Without any, the failure is reported.
      if (task.answer(research.verified().basis, call.input, this.readPhones) === null)
        throw this.failureOf(CODES[error.failure], sentenceOf(error));
    }
    if (research.pageCount === 0) throw this.failureOf('provider_error', 'No page about this could be read.');
    return this.answerOf(call, task, research);
  }

  private async performTask(
    call: ProviderCall,
    task: ResearchTaskOf,
    { research, web }: { research: ModelResearch; web: ResearchWeb },
  ): Promise<void> {
    const endsAt = performance.now() + task.timeMs;
    const paid = await this.paidBefore(call);
    const replayed = [...paid];
    await performResearch<ResearchStep, ResearchOutcome>({
      research,
      budget: new ResearchBudget(task.most(call.input) * 1000, true),
      leftMs: () => endsAt - performance.now(),
      keep: async ({ isRefused }, begin, perform) => {
        const step = begin();
        if (isRefused) return perform(step);
        // Pages are not stored, and may be gone at a replay: each counts, so that a replay has the same result.
        const cost = STEP_PRICES[step.kind];
        const known = step.kind === 'read' ? undefined : replayed.shift();
        if (known) return { outcome: known, cost };
        const { outcome } = await perform(step);
        if (outcome.kind !== 'read') {
          paid.push(outcome);
          await saveFor(this.id, JSON.stringify(paid), call);
        }
        return { outcome, cost };
      },
      perform: (step, position, ask) =>
        this.steps.performStep(step, {
          web,
          pageId: `p${position + 1}`,
          searchId: `${call.searchId}_${position + 1}`,
          signal: call.signal,
          allows: isWebAddress,
          ask,
        }),
    });
  }

  private async paidBefore(call: ProviderCall): Promise<Paid[]> {
    const saved = await savedBy(this.id, call);
    return saved === null ? [] : (JSON.parse(saved) as Paid[]);
  }

  private answerOf(
    { service, input }: ProviderCall,
    { answer, isDeep }: ResearchTaskOf,
    research: ModelResearch,
  ): ProviderAnswer {
    // An excerpt may end in the middle of a surrogate pair.
    const data = cleanText(answer(research.verified().basis, input, this.readPhones));
    const found = data !== null;
    return {
      found,
      deep: isDeep,
      provider: this.id,
      output: fullOutput(service, data ?? missOutput(service, input), { found, provider: this.id }),
    };
  }

  private failureOf(code: ProviderFailure['code'], message: string): ProviderFailure {
    return new ProviderFailure(code, message, { provider: this.id });
  }
}

function sentenceOf({ failure }: LanguageModelError): string {
  return failure === 'timeout'
    ? 'The language model did not answer in time.'
    : failure === 'rate_limited'
      ? 'The language model is at its capacity.'
      : 'The language model returned no usable answer.';
}

function isWebAddress(address: string): boolean {
  const protocol = URL.parse(address)?.protocol;
  return protocol === 'http:' || protocol === 'https:';
}

function ownDomainsOf({ domain, urls }: ProviderCall['input']): ReadonlySet<string> {
  const named = [domain, ...(Array.isArray(urls) ? (urls as unknown[]) : [])];
  return new Set(named.flatMap((each) => (typeof each === 'string' ? (registrableDomain(each) ?? []) : [])));
}
