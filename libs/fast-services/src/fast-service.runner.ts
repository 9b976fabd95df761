import { capReached, toCredits, type CreditLedger } from '@quarry/credit-ledger';
import { FAST_SERVICES_RPC, faultsError, type Fault } from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import {
  IdempotentRequests,
  newId,
  type Ctx,
  type Database,
  type KeepAnswer,
  type Logger,
} from '@quarry/platform';
import { ProviderFailure, type FastCall, type FastServiceProvider } from '@quarry/providers';
import { findService, inputFaults, limitOf, type FastService } from '@quarry/service-catalog';
import { ItemSearch } from './item-search.js';
import type { ExclusionPort } from './ports/exclusion.port.js';
import { readFilters } from './search-filters.js';

/** Who answers a service for a mode of key; null when nobody does. */
export type FastProviderFor = (service: string, mode: 'live' | 'test') => FastServiceProvider | null;

export interface FastServiceDependencies {
  database: Database;
  ledger: CreditLedger;
  providerFor: FastProviderFor;
  exclusions: ExclusionPort;
  logger: Logger;
  /** How long a call may take. */
  deadlineMs?: number;
}

/** Answer of a direct call. Source: contract, Fast service result. */
export interface FastResult {
  ok: true;
  service: string;
  output: { items: unknown[]; provider: string };
  credits: { charged: number; remaining: number };
}

// Half a minute: a client that waits for an answer gives up not much later.
const DEADLINE_MS = 30_000;
/** Two deadlines: a call that has not ended by then holds its Idempotency-Key no longer. */
const LEASE_MS = 60_000;
/** Ten deadlines: whoever placed a hold that is this old is gone. */
const HOLD_EXPIRES_MS = 300_000;

/**
 * Runs a fast service within the request. A hold of the highest price stands before the provider is asked; what was
 * found is posted against it, the rest is freed, and a call that fails voids it. A process that dies in between leaves
 * a hold that expires.
 */
export class FastServiceRunner {
  private readonly search: ItemSearch;

  private readonly requests: IdempotentRequests;

  constructor(private readonly deps: FastServiceDependencies) {
    this.requests = new IdempotentRequests(deps.database);
    this.search = new ItemSearch(deps.exclusions);
  }

  /** @throws AppError not_found, validation_error, capability_error, insufficient_credits, usage_limit, provider_error,
   * idempotency_conflict */
  async run(
    ctx: Ctx,
    name: string,
    input: Readonly<Record<string, unknown>>,
    idempotencyKey: string | null = null,
  ): Promise<FastResult> {
    const service = fastServiceOf(name);
    refuse(inputFaults(service, input));
    const accepted = service.input.parse(input) as Record<string, unknown>;
    const { wanted, faults } = readFilters(name, accepted);
    refuse(faults);
    const keyed = { route: `${FAST_SERVICES_RPC.run.pattern} ${name}`, key: idempotencyKey, body: input };
    return this.requests.whileLeased<FastResult>(ctx, keyed, LEASE_MS, (keep) =>
      this.perform(ctx, service, { input: accepted, wanted }, keep),
    );
  }

  private async perform(
    ctx: Ctx,
    service: FastService,
    { input, wanted }: { input: Record<string, unknown>; wanted: FastCall['wanted'] | null },
    keep: KeepAnswer<FastResult>,
  ): Promise<FastResult> {
    const { name } = service;
    const provider = this.deps.providerFor(name, ctx.mode);
    if (!wanted || !provider) throw new AppError('capability_error', `No provider for ${name} is available.`);
    const lineId = await this.reserve(ctx, service, input);
    const limit = limitOf(input);
    try {
      const output = await this.find(ctx, service, provider, { input, lineId, wanted, limit });
      return await this.settle(ctx, service, { lineId, output }, keep);
    } catch (error) {
      await this.free(ctx, lineId);
      throw refusalOf(error);
    }
  }

  private async find(
    ctx: Ctx,
    service: FastService,
    provider: FastServiceProvider,
    search: Pick<FastCall, 'input' | 'lineId' | 'wanted' | 'limit'>,
  ): Promise<FastResult['output']> {
    const signal = AbortSignal.timeout(this.deps.deadlineMs ?? DEADLINE_MS);
    const output = await this.search
      .find(ctx, provider, { ...search, service: service.name, signal })
      .catch((error: unknown) => {
        if (!signal.aborted) throw error;
        throw new AppError('provider_error', 'The provider did not answer in time.', { cause: error });
      });
    if (service.output.safeParse(output).success) return output;
    throw new AppError('provider_error', 'The provider answered outside its own contract.');
  }

  private async reserve(
    ctx: Ctx,
    service: FastService,
    input: Readonly<Record<string, unknown>>,
  ): Promise<string> {
    const amount = service.worstCase(input);
    const id = newId('hold');
    const { kind } = await this.deps.ledger.holdFor(
      ctx,
      { id, amount, service: service.name },
      HOLD_EXPIRES_MS,
    );
    if (kind === 'held') return id;
    if (kind === 'capped') throw capReached();
    throw new AppError(
      'insufficient_credits',
      `The balance does not cover this call, which may cost ${toCredits(amount)} credits.`,
    );
  }

  private async settle(
    ctx: Ctx,
    service: FastService,
    { lineId: holdId, output }: { lineId: string; output: FastResult['output'] },
    keep: KeepAnswer<FastResult>,
  ): Promise<FastResult> {
    const { database, ledger } = this.deps;
    const amount = service.charge(output.items.length);
    // One transaction: a charge never stands without its answer, nor the kept answer without its charge.
    return database.transaction(ctx, async (tx) => {
      const { kind } = amount > 0 ? await ledger.post(tx, holdId, amount) : await ledger.void(tx, holdId);
      // The hold has expired under a process that stood still: what cannot be charged is not handed out.
      if (kind === 'refused') throw new AppError('provider_error', 'The call took too long to be charged.');
      const { available } = await ledger.balance(tx);
      const credits = { charged: toCredits(amount), remaining: toCredits(available) };
      const result: FastResult = { ok: true, service: service.name, output, credits };
      await keep(tx, result);
      return result;
    });
  }

  /** A hold that cannot be freed now expires; the customer hears of the failure, not of this. */
  private async free(ctx: Ctx, holdId: string): Promise<void> {
    try {
      await this.deps.ledger.void(ctx, holdId);
    } catch (error) {
      this.deps.logger.warn({ err: error, holdId }, 'the hold of a failed call waits for its expiry');
    }
  }
}

function fastServiceOf(name: string): FastService {
  const service = findService(name);
  if (!service) throw new AppError('not_found', 'There is no service with this name.');
  if (service.mode === 'fast') return service;
  throw new AppError(
    'validation_error',
    `${name} is a slow service: send its inputs as a list to POST /v1/services/jobs/batch.`,
  );
}

/** @throws AppError validation_error when there is a fault */
function refuse(faults: readonly Fault[]): void {
  if (faults.length > 0) throw faultsError('services', faults);
}

/** What a provider's failure is to the caller of a direct call. Source: contract decisions, Fast calls. */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof ProviderFailure)) return error;
  const { code, message } = error;
  if (code === 'provider_rejected')
    return new AppError('validation_error', message, { details: [{ path: [], message }], cause: error });
  const isUnavailable = code === 'provider_unavailable' || code === 'capability_error';
  return new AppError(isUnavailable ? 'capability_error' : 'provider_error', message, {
    cause: error,
    facts: { code, provider: error.options.provider },
  });
}
