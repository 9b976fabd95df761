import { LanguageModel, LanguageModelError, type ModelAnswer, type ModelAsk } from '@quarry/language-models';
import type { PlanAsk, PlanIntent, PlannerCtx, PlannerLimits } from '@quarry/plan';
import { RulesPlanner } from '@quarry/rules-planner';

export const CTX: PlannerCtx = { orgId: 'org_spec', mode: 'live', requestId: 'spec' };

/** An entry of a model's answer. */
export type Entry = Record<string, any>;

/** A model with scripted answers. Each turn answers one request; the last one also answers all further requests. */
export class ScriptedModel extends LanguageModel {
  readonly modelName = 'scripted';
  readonly requests: ModelAsk[] = [];

  /** @param turns return the entries of an answer, or what is thrown instead */
  constructor(private readonly turns: ReadonlyArray<(ask: ModelAsk) => unknown>) {
    super();
  }

  async completePrompt(ask: ModelAsk): Promise<ModelAnswer> {
    ask.signal.throwIfAborted();
    const turn = this.turns[Math.min(this.requests.length, this.turns.length - 1)]!;
    this.requests.push(ask);
    const tables = await turn(ask);
    if (tables instanceof LanguageModelError) throw tables;
    const object: unknown = JSON.parse(JSON.stringify({ tables }));
    const usage = { inputTokens: 1, outputTokens: 1, costMicroUsd: null };
    return { text: JSON.stringify(object), object, toolCalls: [], finish: 'stop', usage };
  }

  /** Returns the faults of its last answer, as sent to the model. */
  get lastFaults(): string {
    return this.requests.length > 1 ? this.requests.at(-1)!.messages.at(-1)!.text : '';
  }
}

/** Returns limits that are never reached. */
export function within(): PlannerLimits {
  return { signal: new AbortController().signal, deadlineMs: Date.now() + 600_000 };
}

export function askOf(prompt: string, change: Partial<PlanAsk> = {}): PlanAsk {
  return {
    prompt,
    output: [],
    previous: null,
    tables: [],
    tableProfile: () => Promise.reject(new Error('No table is named.')),
    referenceYear: 2025,
    ...change,
  };
}

/** @returns the entries of a model that reads a prompt like the rules */
export async function entriesOf(ask: PlanAsk): Promise<Entry[]> {
  const { intents } = await new RulesPlanner().createPlan(ask, CTX, { ...within(), deadlineMs: Infinity });
  return intents.map((intent) => entryOf(intent, ask.prompt));
}

/** Returns an entry, without what follows from the request or its output contract. */
function entryOf(intent: PlanIntent, prompt: string): Entry {
  const {
    version: _version,
    output_table: _key,
    notes: _notes,
    ...replies
  } = JSON.parse(JSON.stringify(intent)) as Entry;
  const own = (items: Entry[]): Entry[] => items.filter(({ from }) => from !== 'output');
  return {
    ...replies,
    columns: own(replies['columns'] as Entry[]),
    criteria: own(replies['criteria'] as Entry[]),
    // The rules phrase some of them in their own words; a model must not.
    not_understood: (replies['not_understood'] as string[]).filter((each) => prompt.includes(each)),
  };
}
