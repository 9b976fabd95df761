import { Inject, Injectable, Optional } from '@nestjs/common';
import { capReached, CreditLedger, toCredits } from '@quarry/credit-ledger';
import { withOwnVocabulary } from '@quarry/vocabulary';
import { FAST_SERVICES_RPC, faultsError, type Fault } from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import { LOGGER, newId, type Ctx, type Logger } from '@quarry/app';
import { Database, IdempotentRequests, type KeepAnswer } from '@quarry/postgres';
import {
  ProviderFailure,
  Providers,
  type DirectorySearchCall,
  type ProviderAnswer,
  type ProviderCall,
  timedSignal,
} from '@quarry/engine';
import {
  formatCount,
  chargeOf,
  findService,
  inputFaults,
  limitOf,
  type FastService,
} from '@quarry/service-catalog';
import { HoldBatcher } from './hold-batcher.js';
import { ItemSearch } from './item-search.js';
import { ExclusionPort } from './ports/exclusion.port.js';
import { readFilters } from './search-filters.js';

/** Injection token of the maximum duration of a call, in milliseconds; {@link DEADLINE_MS} by default. */
const CALL_MS = Symbol('quarry:fast-services:call-ms');

/** Services whose inputs contain values of directories. */
const SEARCHES = new Set(['searchCompanies', 'searchPeople']);

/** Result of a direct call. Source: contract, Fast service result. */
export interface FastResult {
  ok: true;
  service: string;
  output: { provider: string } & Record<string, unknown>;
  credits: { charged: number; remaining: number };
}

/** Result of a provider, and its number of charged items. */
interface Found {
  output: FastResult['output'];
  /** Number of items of a search; for other services 1 if something was found, else 0. */
  items: number;
  paidBy?: ProviderAnswer['paidBy'];
}

/** A validated input, and its directory query; null if it queries no directory. */
interface AcceptedInput {
  input: Record<string, unknown>;
  wanted: DirectorySearchCall['wanted'] | null;
  caller: Caller | null;
}

/** Run and row for which a column calls a service. */
interface Caller {
  runId: string;
  /** Position of the row in its table, from 0. */
  inputIndex?: number;
}

type Find = (call: Pick<ProviderCall, 'service' | 'input' | 'searchId' | 'signal'>) => Promise<Found>;

// Half a minute: clients give up not much later.
const DEADLINE_MS = 30_000;
/** Two deadlines: afterwards a call that has not ended releases its Idempotency-Key. */
const LEASE_MS = 60_000;
/** Ten deadlines: the process that placed a hold of this age is gone. */
const HOLD_EXPIRES_MS = 300_000;

/**
 * Runs a fast service within the request. The maximum price is held before the provider is called; the result is posted
 * against the hold, the rest is released, and a failed call voids it. A process that crashes in between leaves a hold
 * that expires.
 */
@Injectable()
export class FastServiceRunner {
  private readonly search: ItemSearch;
  private readonly holdBatcher: HoldBatcher<FastResult>;

  constructor(
    database: Database,
    private readonly requests: IdempotentRequests,
    private readonly ledger: CreditLedger,
    private readonly providers: Providers,
    exclusions: ExclusionPort,
    @Inject(LOGGER) private readonly logger: Logger,
    @Optional() @Inject(CALL_MS) private readonly deadlineMs: number = DEADLINE_MS,
  ) {
    this.search = new ItemSearch(exclusions);
    this.holdBatcher = new HoldBatcher(database, ledger, HOLD_EXPIRES_MS);
  }

  /**
   * @param caller run and row for which the call is made: the ledger entry names them, and such calls have their own keys
   * @throws AppError not_found, validation_error, capability_error, insufficient_credits, usage_limit, provider_error,
   * idempotency_conflict
   */
  async runService(
    ctx: Ctx,
    name: string,
    input: Readonly<Record<string, unknown>>,
    idempotencyKey: string | null = null,
    caller: Caller | null = null,
  ): Promise<FastResult> {
    const service = fastServiceOf(name);
    refuseFaults(inputFaults(service, input));
    const accepted = service.input.parse(input) as Record<string, unknown>;
    const words = SEARCHES.has(name) ? await this.providers.vocabularyFor(ctx) : null;
    const { wanted, faults } = withOwnVocabulary(words, () => readFilters(name, accepted));
    refuseFaults(faults);
    const route = `${FAST_SERVICES_RPC.run.pattern} ${name}${caller ? ' of a run' : ''}`;
    const keyed = { route, key: idempotencyKey, body: input };
    return this.requests.whileLeased<FastResult>(ctx, keyed, LEASE_MS, (keep) =>
      this.performCall(ctx, service, { input: accepted, wanted, caller }, keep),
    );
  }

  private async performCall(
    ctx: Ctx,
    service: FastService,
    { input, wanted, caller }: AcceptedInput,
    keep: KeepAnswer<FastResult>,
  ): Promise<FastResult> {
    const { name } = service;
    const find = wanted ? await this.searchFor(ctx, name, wanted) : await this.lookingUp(ctx, name);
    if (!find) throw new AppError('capability_error', this.providers.unavailableReason(name, ctx.mode));
    const holdId = await this.reserveCredits(ctx, service, input, caller);
    try {
      const found = await this.findWithin(service, (signal) =>
        find({ service: name, input, searchId: holdId, signal }),
      );
      return await this.settleCharge(
        ctx,
        service,
        { holdId, held: service.worstCase(input), ...found },
        keep,
      );
    } catch (error) {
      await this.freeHold(ctx, holdId);
      throw refusalOf(error, input);
    }
  }

  /** @returns the function that searches a directory; null if there is none */
  private async searchFor(
    ctx: Ctx,
    name: string,
    wanted: DirectorySearchCall['wanted'],
  ): Promise<Find | null> {
    const provider = await this.providers.directorySearchFor(name, ctx);
    if (!provider) return null;
    return async (call) => {
      const searchCall = { ...call, wanted, limit: limitOf(call.input) };
      const { paidBy, ...output } = await this.search.findItems(ctx, provider, searchCall);
      return { output, items: output.items.length, ...(paidBy ? { paidBy } : {}) };
    };
  }

  /** @returns the function for a lookup without directory; null if there is no provider */
  private async lookingUp(ctx: Ctx, name: string): Promise<Find | null> {
    const providers = await this.providers.lookupFor(name, ctx);
    if (!providers) return null;
    return async (call) => {
      const { output, provider, found, paidBy } = await providers.answerCall(call);
      return { output: { ...output, provider }, items: found ? 1 : 0, ...(paidBy ? { paidBy } : {}) };
    };
  }

  /** @throws AppError provider_error on a timeout or an invalid result; the provider's error */
  private async findWithin(
    service: FastService,
    find: (signal: AbortSignal) => Promise<Found>,
  ): Promise<Found> {
    const signal = timedSignal(this.deadlineMs);
    const found = await find(signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
      throw new AppError('provider_error', 'The provider did not answer in time.', { cause: error });
    });
    if (service.output.safeParse(found.output).success) return found;
    throw new AppError('provider_error', 'The provider returned an invalid answer.');
  }

  private async reserveCredits(
    ctx: Ctx,
    service: FastService,
    input: Readonly<Record<string, unknown>>,
    caller: Caller | null,
  ): Promise<string> {
    const amount = service.worstCase(input);
    const id = newId('hold');
    const hold = { id, amount, service: service.name, ...caller };
    const { kind } = await this.holdBatcher.holdCredits(ctx, hold);
    if (kind === 'held') return id;
    if (kind === 'capped') throw capReached();
    throw new AppError(
      'insufficient_credits',
      `The balance does not cover this call, which may cost ${formatCount(toCredits(amount), 'credit')}.`,
    );
  }

  private async settleCharge(
    ctx: Ctx,
    service: FastService,
    { holdId, held, output, items, paidBy }: Found & { holdId: string; held: number },
    keep: KeepAnswer<FastResult>,
  ): Promise<FastResult> {
    const amount = chargeOf(service.charge(items), paidBy);
    const answer = (available: number): FastResult => {
      const credits = { charged: toCredits(amount), remaining: toCredits(available) };
      return { ok: true, service: service.name, output, credits };
    };
    return this.holdBatcher.settleHold(ctx, { holdId, held, amount, answer, keep });
  }

  /** Voids a hold. If that fails, the hold expires; the customer gets the original error, not this one. */
  private async freeHold(ctx: Ctx, holdId: string): Promise<void> {
    try {
      await this.ledger.voidHold(ctx, holdId);
    } catch (error) {
      this.logger.warn({ err: error, holdId }, 'the hold of a failed call waits for its expiry');
    }
  }
}

function fastServiceOf(name: string): FastService {
  const service = findService(name);
  if (!service) throw new AppError('not_found', 'Service not found.');
  if (service.mode === 'fast') return service;
  const message = `${name} is a slow service: send its inputs as a batch to POST /v1/services/jobs/batch.`;
  throw new AppError('validation_error', message, { details: [{ path: [], message }] });
}

/** @throws AppError validation_error if there are faults */
function refuseFaults(faults: readonly Fault[]): void {
  if (faults.length > 0) throw faultsError('services', faults);
}

/** Maps a provider's failure to the error of a direct call. Source: docs/contract.md#fast-calls. */
function refusalOf(error: unknown, input: Readonly<Record<string, unknown>>): unknown {
  if (!(error instanceof ProviderFailure)) return error;
  const { code, message } = error;
  if (code === 'provider_rejected') {
    // A provider does not know field names; if there is a single field, that is the rejected one.
    const [field, ...others] = Object.keys(input);
    const isKnown = field !== undefined && others.length === 0;
    const text = isKnown ? `${field} was rejected: ${message}` : message;
    const details = [{ path: isKnown ? [field] : [], message: text }];
    return new AppError('validation_error', text, { details, cause: error });
  }
  // A configured provider that could not answer temporarily has failed; only a missing configuration is unavailable.
  const isUnavailable =
    (code === 'provider_unavailable' && !error.options.isTransient) || code === 'capability_error';
  return new AppError(isUnavailable ? 'capability_error' : 'provider_error', message, {
    cause: error,
    facts: { code, provider: error.options.provider },
  });
}
