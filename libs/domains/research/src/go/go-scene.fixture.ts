import { CreditLedger } from '@quarry/credit-ledger';
import type { CreateGoRunRequest } from '@quarry/dto';
import { LanguageModel, LanguageModelError, type ModelAnswer, type ModelAsk } from '@quarry/language-models';
import { createLogger, type Ctx } from '@quarry/app';
import { IdempotentRequests, type Database } from '@quarry/postgres';
import type { Providers, WebPage, WebPages } from '@quarry/engine';
import { ResearchSteps } from '../research-steps.js';
import { ResearchWebs } from '../research-web.js';
import { GoAgent } from './go-agent.js';
import { GoJournal } from './go-journal.js';
import { GoLeaseStore } from './go-lease.store.js';
import { GoResearches } from './go-researches.js';
import { GoRunStore } from './go-run.store.js';
import { GoSteps } from './go-steps.js';

type Turn = Array<readonly [name: string, input: unknown]> | Error;

/** A model that follows a script; after its end it submits an empty result. */
export class ScriptedModel extends LanguageModel {
  readonly modelName = 'scripted';
  readonly asks: ModelAsk[] = [];
  /** Promise for which a response waits, unless it is aborted. */
  before: Promise<void> | null = null;

  constructor(private readonly turns: Turn[]) {
    super();
  }

  async completePrompt(ask: ModelAsk): Promise<ModelAnswer> {
    this.asks.push(ask);
    await unlessCutOff(this.before, ask.signal);
    const turn = this.turns.shift() ?? [['submit', { claims: [], done: true }] as const];
    if (turn instanceof Error) throw turn;
    const toolCalls = turn.map(([name, input], n) => ({ id: `c${this.asks.length}_${n}`, name, input }));
    const usage = { inputTokens: 1, outputTokens: 1, costMicroUsd: null };
    return { text: '', object: null, toolCalls, finish: 'tools', usage };
  }
}

/** Pages by URL; a held page is read after it is released. */
export class LocalPages implements WebPages {
  readonly readPage = async (url: string, signal: AbortSignal): Promise<WebPage | null> => {
    this.reads.push(url);
    await unlessCutOff(this.before?.(url), signal);
    const text = this.texts[url];
    if (text === undefined) return null;
    const stated = {
      url,
      title: null,
      language: null,
      metadata: {},
      structured: [],
      microdata: [],
      contacts: [],
      pairs: [],
    };
    return { url, title: null, text, statedFrom: text.length, links: [], stated };
  };
  readonly reads: string[] = [];
  before: ((url: string) => Promise<void>) | null = null;

  constructor(private readonly texts: Readonly<Record<string, string>>) {}

  fieldsOf(): [] {
    return [];
  }
}

async function unlessCutOff(work: Promise<void> | null | undefined, signal: AbortSignal): Promise<void> {
  const cutOff = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(unreachable()), { once: true });
  });
  await Promise.race([work, cutOff]);
}

export const unreachable = (): LanguageModelError =>
  new LanguageModelError('unavailable', 'The model does not answer.');

/** The library on a real database, with local pages and a scripted model. */
export class GoScene {
  readonly ledger: CreditLedger;
  readonly leases: GoLeaseStore;
  readonly store: GoRunStore;
  readonly revoked = new Set<string>();

  constructor(
    readonly database: Database,
    readonly pages: LocalPages,
  ) {
    this.ledger = new CreditLedger(database);
    this.leases = new GoLeaseStore(database);
    this.store = this.storeWith(new ScriptedModel([]));
  }

  storeWith(model: LanguageModel | null): GoRunStore {
    const requests = new IdempotentRequests(this.database);
    return new GoRunStore(this.database, this.ledger, requests, this.providers(), model, () =>
      Promise.resolve(),
    );
  }

  /** Creates another process, with its own model. */
  agent(model: LanguageModel): GoAgent {
    return new GoAgent(
      this.database,
      this.ledger,
      this.leases,
      new GoJournal(this.database),
      new GoSteps(new ResearchSteps(model), new ResearchWebs(this.providers(), model)),
      new GoResearches(this.providers(), model),
      { isKeyRevoked: (_ctx, keyId) => Promise.resolve(this.revoked.has(keyId)) },
      createLogger('spec', 'silent'),
    );
  }

  async create(ctx: Ctx, request: Partial<CreateGoRunRequest>): Promise<string> {
    const body = { prompt: 'Who?', ...request };
    return (await this.store.createRun(ctx, { body, heldSeconds: 0 }, null)).id;
  }

  /** @returns the run as shown to its organisation */
  async shown(ctx: Ctx, runId: string): Promise<Record<string, unknown> & { status: string }> {
    return JSON.parse((await this.store.readRun(ctx, runId)).json) as Record<string, unknown> & {
      status: string;
    };
  }

  private providers(): Providers {
    return { pagesFor: () => this.pages, lookupFor: () => Promise.resolve(null) } as unknown as Providers;
  }
}
