import { createHash } from 'node:crypto';
import { cleanText } from '@quarry/call-policy';
import { registrableDomain } from '@quarry/dto';
import {
  LanguageModelError,
  ModelResearch,
  type LanguageModel,
  type ModelFailure,
  type ResearchOutcome,
  type ResearchStep,
} from '@quarry/models';
import {
  fullOutput,
  missOutput,
  ProviderFailure,
  savedBy,
  saveFor,
  type LookupProvider,
  type ProviderAnswer,
  type ProviderCall,
  type ResearchWorld,
} from '@quarry/providers';
import { RESEARCH_TASKS, type ResearchTaskOf } from './research-tasks.js';

/** Source: contract decisions, section 6. */
const PRICES: Readonly<Record<ResearchStep['kind'], number>> = { read: 1, search: 0.5, think: 1 };
const READ_MS = 30_000;
const SEARCH_MS = 20_000;
const ITEMS_MAX = 10;
const CODES: Readonly<Record<ModelFailure, ProviderFailure['code']>> = {
  unavailable: 'provider_unavailable',
  rejected: 'provider_unavailable',
  rate_limited: 'capacity',
  timeout: 'timeout',
  invalid_output: 'invalid_output',
};

/** What a step gave that costs money to have again; pages are read again instead. */
type Paid = Exclude<ResearchOutcome, { kind: 'read' }>;

/**
 * Answers webResearch, and goes on as the Deep agent of getEmail and getPhoneNumber where the others have found nothing: a language
 * model says what is searched and read, and code decides what is believed ({@link ModelResearch}). The steps that cost money are
 * kept with the job, so that whoever takes it over pays for none of them again.
 */
export class ResearchProvider implements LookupProvider {
  readonly id = 'research';
  readonly services = Object.keys(RESEARCH_TASKS);

  constructor(
    private readonly model: LanguageModel,
    private readonly world: ResearchWorld,
  ) {}

  takes({ service, input }: ProviderCall): boolean {
    return !RESEARCH_TASKS[service]!.isDeep || input.deep === true;
  }

  /**
   * @throws ProviderFailure; `provider_unavailable` where there is neither a search engine nor a page to begin with
   * @throws SearchLostError; the signal's reason when it fires
   */
  async run(call: ProviderCall): Promise<ProviderAnswer> {
    const task = RESEARCH_TASKS[call.service]!;
    const urls = task.urls(call.input);
    if (urls.length === 0 && !this.world.canSearch())
      throw this.failure('provider_unavailable', 'No search engine is configured: name pages to begin with.');
    call.onCall?.();
    const research = new ModelResearch({
      prompt: task.prompt(call.input),
      schema: task.schema,
      urls,
      allows: isWebAddress,
      ownDomains: ownDomainsOf(call.input),
    });
    try {
      await this.work(call, task, research);
    } catch (error) {
      call.signal.throwIfAborted();
      if (!(error instanceof LanguageModelError)) throw error;
      // What is found so far was paid for, and is true. A search that was not finished has found nothing yet.
      if (task.answer(research.verified().basis, call.input) === null)
        throw this.failure(CODES[error.failure], sentenceOf(error));
    }
    if (research.pageCount === 0) throw this.failure('provider_error', 'No page about this could be read.');
    return this.answer(call, task, research);
  }

  private async work(call: ProviderCall, task: ResearchTaskOf, research: ModelResearch): Promise<void> {
    const endsAt = performance.now() + task.timeMs;
    const most = task.most(call.input);
    const paid = await this.paidBefore(call);
    const replayed = [...paid];
    for (let position = 1, used = 0; ; position += 1) {
      const step = research.next();
      const leftMs = endsAt - performance.now();
      if (!step || leftMs <= 0) return;
      // What is read is worth nothing unless the model can still say what follows from it.
      const needed = PRICES[step.kind] + (step.kind === 'think' ? 0 : PRICES.think);
      if (used + needed > most) {
        if (step.kind === 'think') return;
        research.apply(step, unaffordable(step));
        continue;
      }
      used += PRICES[step.kind];
      const known = step.kind === 'read' ? undefined : replayed.shift();
      const outcome =
        known ?? (await this.perform(call, research, step, { position, leftMs, left: most - used }));
      if (outcome.kind !== 'read' && known === undefined) {
        paid.push(outcome);
        await saveFor(this.id, JSON.stringify(paid), call);
      }
      research.apply(step, outcome);
    }
  }

  private async paidBefore(call: ProviderCall): Promise<Paid[]> {
    const saved = await savedBy(this.id, call);
    return saved === null ? [] : (JSON.parse(saved) as Paid[]);
  }

  private async perform(
    call: ProviderCall,
    research: ModelResearch,
    step: ResearchStep,
    { position, leftMs, left }: { position: number; leftMs: number; left: number },
  ): Promise<ResearchOutcome> {
    if (step.kind === 'read') return this.read(call, step.url, `p${position}`);
    if (step.kind === 'search') return this.search(call, step.query, position);
    try {
      const { text, toolCalls, finish } = await this.model.complete({
        ...research.ask(leftMs, left),
        signal: call.signal,
      });
      return { kind: 'think', answer: { text, toolCalls, finish } };
    } catch (error) {
      if (!(error instanceof LanguageModelError) || error.failure !== 'invalid_output') throw error;
      // An answer that cannot be read is one of no use; the next one may be better.
      return { kind: 'think', answer: { text: '', toolCalls: [], finish: 'stop' } };
    }
  }

  private async read(call: ProviderCall, url: string, id: string): Promise<ResearchOutcome> {
    const time = AbortSignal.timeout(READ_MS);
    try {
      const page = await this.world.pages.read(url, AbortSignal.any([call.signal, time]));
      if (!page) return { kind: 'read', page: null, fault: 'There is no page at this address.' };
      // As every other provider: NUL and halves of letters cannot be kept.
      const { text, title, statedFrom, links } = cleanText(page);
      const sha256 = createHash('sha256').update(text).digest('hex');
      const retrievedAt = new Date().toISOString();
      return {
        kind: 'read',
        page: { id, url: page.url, title, text, statedFrom, links, sha256, retrievedAt },
        fault: null,
      };
    } catch (error) {
      call.signal.throwIfAborted();
      if (time.aborted) return { kind: 'read', page: null, fault: 'The page did not answer in time.' };
      if (error instanceof ProviderFailure) return { kind: 'read', page: null, fault: error.message };
      throw error;
    }
  }

  private async search(call: ProviderCall, query: string, position: number): Promise<ResearchOutcome> {
    const nothing = (fault: string): ResearchOutcome => ({ kind: 'search', items: [], fault });
    if (!this.world.canSearch())
      return nothing('No search engine is configured: read pages by their addresses.');
    const time = AbortSignal.timeout(SEARCH_MS);
    try {
      const { output } = await this.world.search({
        service: 'webSearch',
        input: { query, limit: ITEMS_MAX },
        searchId: `${call.searchId}_${position}`,
        signal: AbortSignal.any([call.signal, time]),
      });
      const items = (output.items as Array<{ title: string | null; url: string; snippet: string | null }>)
        .slice(0, ITEMS_MAX)
        .map(({ title, url, snippet }) => ({ title, url, snippet }));
      return { kind: 'search', items, fault: null };
    } catch (error) {
      call.signal.throwIfAborted();
      if (time.aborted) return nothing('The search engine did not answer in time.');
      if (error instanceof ProviderFailure) return nothing(error.message);
      throw error;
    }
  }

  private answer(
    { service, input }: ProviderCall,
    { answer, isDeep }: ResearchTaskOf,
    research: ModelResearch,
  ): ProviderAnswer {
    // An excerpt may end in the middle of a letter.
    const data = cleanText(answer(research.verified().basis, input));
    const found = data !== null;
    return {
      found,
      deep: isDeep,
      provider: this.id,
      output: fullOutput(service, data ?? missOutput(service, input), { found, provider: this.id }),
    };
  }

  private failure(code: ProviderFailure['code'], message: string): ProviderFailure {
    return new ProviderFailure(code, message, { provider: this.id });
  }
}

/** @returns what the model is told of a page or a search that its budget does not allow */
function unaffordable({ kind }: Exclude<ResearchStep, { kind: 'think' }>): ResearchOutcome {
  const fault = 'The budget does not allow another one: hand in what the pages that were read prove.';
  return kind === 'read' ? { kind, page: null, fault } : { kind, items: [], fault };
}

function sentenceOf({ failure }: LanguageModelError): string {
  return failure === 'timeout'
    ? 'The language model did not answer in time.'
    : failure === 'rate_limited'
      ? 'The language model is at its capacity.'
      : 'The language model gave no usable answer.';
}

function isWebAddress(address: string): boolean {
  const protocol = URL.parse(address)?.protocol;
  return protocol === 'http:' || protocol === 'https:';
}

function ownDomainsOf({ domain, urls }: ProviderCall['input']): ReadonlySet<string> {
  const named = [domain, ...(Array.isArray(urls) ? (urls as unknown[]) : [])];
  return new Set(named.flatMap((each) => (typeof each === 'string' ? (registrableDomain(each) ?? []) : [])));
}
