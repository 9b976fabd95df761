import {
  checkLimits,
  PlanningFailedError,
  PlanningTimeoutError,
  type PlanAsk,
  type PlanIntent,
  type PlannedPrompt,
  type Planner,
  type PlannerCtx,
  type PlannerLimits,
  type TableProfile,
} from '@quarry/plan';
import { LanguageModelError, type LanguageModel, type ModelMessage } from '../language-model.port.js';
import { PLAN_ANSWER } from './answer.schema.js';
import type { UnmatchedFragment } from './checks/coverage.js';
import type { CheckedIntent } from './checks/checked-intent.js';
import { checkIntent } from './check-intent.js';
import { isEnglish } from './language.js';
import { plannerMessages, tablesMeant } from './planner-messages.js';
import { readEntry, type ReadEntry } from './read-answer.js';
import { nearestTerms } from './vocabulary.js';

/** Milliseconds for both responses of a model. */
const READING_MS = 20_000;
/** Milliseconds of the run's own limit that are reserved for the rules after a failed model. */
const SPARE_MS = 2_000;
/** Maximum number of tokens of a response; the intent of a long prompt takes a third of this. */
const ANSWER_TOKENS_MAX = 4_000;
const FAULTS_SHOWN_MAX = 20;

/** Parsed response, and its faults. */
interface Candidate {
  readonly intents: readonly PlanIntent[];
  readonly faults: readonly string[];
  /** Fragments that the response ignores, by entry. */
  readonly unmatched: ReadonlyArray<readonly UnmatchedFragment[]>;
}

/** Context in which each response to a request is checked. */
interface Beside {
  readonly ask: PlanAsk;
  readonly tables: readonly TableProfile[];
  readonly rules: readonly PlanIntent[];
}

/**
 * Plans with a language model. The model only translates the prompt to an intent; code checks the result: format,
 * vocabulary, the words that each item comes from, ignored words, and agreement with the rules on hard facts. The model
 * gets the faults once; an intent that still has a fault after that is rejected.
 */
export class ModelPlanner implements Planner {
  /** @param rules planner that the response is compared with, and that reads the output contract */
  constructor(
    private readonly model: LanguageModel,
    private readonly rules: Planner,
  ) {}

  async createPlan(ask: PlanAsk, ctx: PlannerCtx, limits: PlannerLimits): Promise<PlannedPrompt> {
    checkLimits(limits);
    const deadlineMs = Math.min(limits.deadlineMs - SPARE_MS, Date.now() + READING_MS);
    const { intents: rules } = await this.rules.createPlan(ask, ctx, limits);
    const tables = await Promise.all(tablesMeant(ask).map((id) => ask.tableProfile(id)));
    const messages = plannerMessages(ask, tables);
    if (messages === null)
      throw new PlanningFailedError('invalid_output', 'The prompt is too long for the language model.');
    const beside = { ask, tables, rules };
    const intents = await this.readPrompt(messages, beside, { ...limits, deadlineMs });
    return { planner: 'model', intents: intents.map((intent, i) => withContract(intent, rules[i]!)) };
  }

  private async readPrompt(
    messages: readonly ModelMessage[],
    beside: Beside,
    limits: PlannerLimits,
  ): Promise<PlanIntent[]> {
    const first = await this.askModel(messages, limits);
    const candidate = checkCandidate(first.written, beside);
    const repairable = candidate.unmatched.flat().filter(({ isRepairable }) => isRepairable);
    const reported = [...candidate.faults, ...repairable.map(({ fault }) => fault)];
    if (reported.length === 0) return nameUnmatched(candidate);
    const second = await this.repairAnswer(messages, first, reported, limits).catch((error: unknown) => {
      // A response that only ignores words is still a plan, which lists them.
      if (candidate.faults.length === 0 && error instanceof PlanningFailedError) return null;
      throw error;
    });
    const mended = second === null ? candidate : checkCandidate(second.written, beside);
    const best = [mended, candidate].find(({ faults }) => faults.length === 0);
    if (best) return nameUnmatched(best);
    throw new PlanningFailedError(
      'invalid_output',
      'What the language model wrote does not follow from the prompt.',
      mended.faults,
    );
  }

  private repairAnswer(
    messages: readonly ModelMessage[],
    { text }: { text: string },
    faults: readonly string[],
    limits: PlannerLimits,
  ): ReturnType<ModelPlanner['askModel']> {
    const shownFaults = faults.slice(0, FAULTS_SHOWN_MAX).map((fault) => `- ${fault}${hintFor(fault)}`);
    const request = `This is not right yet:\n${shownFaults.join('\n')}\nWrite the whole JSON again without these faults.`;
    // An empty response cannot be sent back: one of the adapters rejects it.
    const origin: ModelMessage[] = text === '' ? [] : [{ role: 'assistant', text, toolCalls: [] }];
    return this.askModel([...messages, ...origin, { role: 'user', text: request }], limits);
  }

  /** @returns the model's response; null when its JSON is invalid */
  private async askModel(
    messages: readonly ModelMessage[],
    { signal, deadlineMs }: PlannerLimits,
  ): Promise<{ text: string; written: unknown }> {
    try {
      const budget = { maxOutputTokens: ANSWER_TOKENS_MAX, deadlineMs };
      const { text, object } = await this.model.completePrompt({
        messages,
        schema: PLAN_ANSWER,
        budget,
        signal,
      });
      return { text: text || JSON.stringify(object), written: object };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof LanguageModelError)) throw error;
      if (error.failure === 'invalid_output') return { text: error.text ?? '', written: error };
      throw failureOf(error);
    }
  }
}

function failureOf({ failure }: LanguageModelError): Error {
  if (failure === 'timeout') return new PlanningTimeoutError('The language model did not answer in time.');
  return new PlanningFailedError(
    'unavailable',
    failure === 'rate_limited'
      ? 'The language model is at its capacity.'
      : 'The language model cannot be asked.',
  );
}

/** @param written the response, or the reason why it could not be parsed */
function checkCandidate(written: unknown, { ask, tables, rules }: Beside): Candidate {
  const wanted = ask.output.length > 0 ? ask.output : [null];
  const entries = (written as { tables?: unknown } | null)?.tables;
  if (written instanceof LanguageModelError) return refusedCandidate(`tables: ${written.message}`);
  if (!Array.isArray(entries) || entries.length !== wanted.length)
    return refusedCandidate(`tables: must have ${wanted.length} entries`);
  const read = entries.map((entry: unknown, i) => readEntry(entry, wanted[i] ?? null));
  const unread = read.flatMap((entry, i) => ('faults' in entry ? placeFaults(entry.faults, i, wanted) : []));
  if (unread.length > 0) return { intents: [], faults: [...unread, ...unknownWords(read)], unmatched: [] };
  const intents = read.flatMap((entry) => ('intent' in entry ? [entry.intent] : []));
  const checks = intents.map((intent, i) =>
    checkIntent({
      intent,
      prompt: ask.prompt,
      rules: rules[i]!,
      isEnglish: isEnglish(ask.prompt),
      output: wanted[i] ?? null,
      previous: ask.previous,
      referenceYear: ask.referenceYear,
      canSource: ask.canSource ?? false,
      table: tableOf(intent, tables),
    } satisfies CheckedIntent),
  );
  return {
    intents,
    faults: checks.flatMap(({ faults }, i) => placeFaults(faults, i, wanted)),
    unmatched: checks.map(({ unmatched }) => unmatched),
  };
}

function refusedCandidate(fault: string): Candidate {
  return { intents: [], faults: [fault], unmatched: [] };
}

function placeFaults(faults: readonly string[], i: number, wanted: readonly unknown[]): string[] {
  return faults.map((fault) => (wanted.length > 1 ? `tables.${i}.${fault}` : fault));
}

function tableOf({ source }: PlanIntent, tables: readonly TableProfile[]): TableProfile | null {
  return source.kind === 'table' ? (tables.find(({ id }) => id === source.table_id) ?? null) : null;
}

/** Returns the intents with the ignored fragments listed: no part of a prompt is ignored silently. */
function nameUnmatched({ intents, unmatched }: Candidate): PlanIntent[] {
  return intents.map((intent, i) => ({
    ...intent,
    not_understood: [...intent.not_understood, ...unmatched[i]!.map(({ fragment }) => fragment)],
  }));
}

/** Takes the output contract from the rules: the model only reads natural language. */
function withContract(intent: PlanIntent, rules: PlanIntent): PlanIntent {
  const isOfSameRows =
    intent.entity === rules.entity && JSON.stringify(intent.source) === JSON.stringify(rules.source);
  const criteria = rules.criteria
    .filter(({ from }) => from === 'output')
    .map((criterion) => (isOfSameRows ? criterion : { ...criterion, conditions: null }));
  const columns = isOfSameRows ? rules.columns.filter(({ from }) => from === 'output') : [];
  return { ...intent, columns: [...intent.columns, ...columns], criteria: [...intent.criteria, ...criteria] };
}

/** Returns similar terms of the vocabulary for the quoted words of a fault. */
function hintFor(fault: string): string {
  const [, word] = /(?:there is no|nothing in .* says|names) (?:\w+ )?"([^"]{2,60})"/.exec(fault) ?? [];
  const near = word === undefined ? [] : nearestTerms(word);
  return near.length === 0 ? '' : ` The vocabulary has ${near.join(', ')}.`;
}

/** Finds words that are not in the vocabulary: the schema only reports that a filter matches none of its variants. */
function unknownWords(read: readonly ReadEntry[]): string[] {
  return read
    .flatMap((entry) => ('faults' in entry ? textsIn(entry.written) : []))
    .flatMap((word) => {
      const near = nearestTerms(word);
      return near.length === 0 || near.includes(word)
        ? []
        : [`filters: there is no "${word}"; the vocabulary has ${near.join(', ')}.`];
    });
}

/** Returns texts that look like names of filters or ids. */
function textsIn(written: unknown): string[] {
  const filters = (written as { filters?: unknown }).filters;
  if (!Array.isArray(filters)) return [];
  return filters.flatMap((each: { filter?: unknown; value?: unknown } | null) =>
    [each?.filter, ...(Array.isArray(each?.value) ? (each.value as unknown[]) : [])].filter(
      (word): word is string => typeof word === 'string' && /^[\w-]{2,60}$/.test(word),
    ),
  );
}
