import { RateWindows, retryAfterOf, systemClock, type Clock } from '@quarry/resilience';
import { OutboundError, type OutboundAnswer, type OutboundClient } from '@quarry/safe-http';
import { findService, findSlowService } from '@quarry/service-catalog';
import type { z } from 'zod';
import {
  failureOfCall,
  invalidOutput,
  ANSWER_BYTES_MAX,
  jsonOf,
  SearchLostError,
  type LookupProvider,
  type ProviderAnswer,
  type ProviderCall,
  savedBy,
  saveFor,
  fullOutput,
  missOutput,
} from '@quarry/engine';
import { failureOfMeaning, usualMeaning } from './vendor-meaning.js';
import type { PageAsk, SearchedPage, VendorSearch, VendorSearchName } from './vendor-search.js';
import type { Meaning, Vendor, VendorPoll, VendorRequest, VendorService, VendorSettings } from './vendor.js';

/** Setup of one vendor in this process. */
export interface VendorSetup {
  vendor: Vendor;
  /** Null when the vendor needs no key. */
  key: string | null;
  /** Base address without a trailing slash. */
  baseUrl: string;
  settings: VendorSettings;
  /** Names of the services it is used for. */
  services: readonly string[];
}

/** Input of a search call: a translated query with the requested page, or keys of records. */
export type SearchInput = ({ words: unknown; keys?: undefined } & PageAsk) | { keys: readonly string[] };

/** An address that mail can be sent to: vendors mask some (`a***@…`), or write a word such as `N/A` in their place. */
const ADDRESS = /^[^\s@"<>*]{1,64}@[^\s@<>*]{1,250}\.[^\s@<>*.]{2,63}$/u;
/** Stands for a body when a status or a job reports that nothing was found. */
const MISS = Symbol('miss');
const MINUTE_MS = 60_000;
/**
 * Timeout of one call in milliseconds: a vendor that hangs must leave time for the next one. Three calls fit into the
 * deadline of a slow service (150 s) and of a direct call (30 s). The slowest vendors document up to twenty seconds.
 */
const CALL_MS = { slow: 45_000, fast: 9_000 } as const;

/** Milliseconds that storing a key waits for the vendor. */
const KEY_CHECK_MS = 5_000;

export interface VendorProviderOptions {
  clock?: Clock;
  /** Timeout of one call in milliseconds. */
  callMs?: { slow: number; fast: number };
}

/**
 * Calls one vendor according to its definition, through the guarded client: redirects are not followed, and at most 1 MiB
 * of a response is read. Does not retry: that is the job of the policy around it. The id of a job is saved before the job
 * is polled, so that a retry resumes it.
 */
export class VendorProvider implements LookupProvider {
  readonly id: string;
  readonly services: readonly string[];
  /** Ids of jobs that this process has started, for the lifetime of their calls. */
  private readonly jobs = new WeakMap<ProviderCall, string>();
  private readonly readings = new Map<VendorPoll, RateWindows>();
  private readonly clock: Clock;

  constructor(
    private readonly setup: VendorSetup,
    private readonly client: OutboundClient,
    private readonly options: VendorProviderOptions = {},
  ) {
    this.clock = options.clock ?? systemClock;
    this.id = setup.vendor.id;
    this.services = setup.services;
  }

  acceptsCall(call: ProviderCall): boolean {
    return this.searchOf(call) !== undefined || this.requestFor(call) !== null;
  }

  /** @returns true when the vendor accepts the key, false when it refuses it; null when it gives no clear answer */
  async checkKey(): Promise<boolean | null> {
    const check = this.setup.vendor.key?.check;
    if (!check) return null;
    const call = { service: 'key check', signal: AbortSignal.timeout(KEY_CHECK_MS) };
    const status = await this.sendRequest(call, check).then(
      (answer) => answer.status,
      () => null,
    );
    // 403 has other meanings: a limit of calls, or a key that may only be used for certain endpoints.
    if (status === 401) return false;
    return status === 200 ? true : null;
  }

  /**
   * @throws ProviderFailure
   * @throws the signal's reason when it fires
   */
  async answerCall(call: ProviderCall): Promise<ProviderAnswer> {
    const search = this.searchOf(call);
    if (search) return this.searchPage(call, search);
    const service = this.serviceOf(call.service);
    const request = this.requestFor(call);
    if (!request) throw failureOfMeaning(this.id, 'rejected');
    const body = await (service.poll
      ? this.askForJob(call, request, service.poll)
      : this.askVendor(call, request));
    if (body === MISS) return this.toAnswer(call, null, null);
    const answer = this.parseBody(service.answer, body);
    const state = service.state?.(answer as never) ?? 'done';
    if (state === 'miss') return this.toAnswer(call, null, null);
    if (state !== 'done') throw failureOfMeaning(this.id, state);
    const data = service.map(answer as never, call.input as never);
    const isNoAddress = call.service === 'getEmail' && !ADDRESS.test(String(data?.email));
    return this.toAnswer(call, isNoAddress ? null : data, service.cost?.(answer as never) ?? null);
  }

  private searchOf({ service }: ProviderCall): VendorSearch | undefined {
    return this.setup.vendor.searches?.[service as VendorSearchName];
  }

  /** Fetches one page of a search, or the records of keys from a previous page. */
  private async searchPage(call: ProviderCall, search: VendorSearch): Promise<ProviderAnswer> {
    const input = call.input as SearchInput;
    if (input.keys !== undefined) {
      const reveal = search.reveal!;
      const body = await this.askVendor(call, reveal.request(input.keys));
      if (body === MISS) return this.toPageAnswer({ found: [], total: null, next: null }, null);
      const answer = this.parseBody(reveal.answer, body);
      const records = reveal.records(answer);
      const found = input.keys.map((key) => records.get(key) ?? null);
      return this.toPageAnswer({ found, total: null, next: null }, reveal.cost?.(answer) ?? null);
    }
    const body = await this.askVendor(call, search.request(input.words, input));
    if (body === MISS) return this.toPageAnswer({ found: [], total: 0, next: null }, null);
    const answer = this.parseBody(search.answer, body);
    return this.toPageAnswer(search.page(answer, input), search.cost?.(answer) ?? null);
  }

  private toPageAnswer(page: SearchedPage, cost: ProviderAnswer['cost'] | null): ProviderAnswer {
    return {
      found: page.found.some((each) => each !== null),
      deep: false,
      provider: this.id,
      output: { ...page },
      cost: cost ?? null,
    };
  }

  private serviceOf(name: string): VendorService {
    const { services } = this.setup.vendor;
    return (services as Record<string, VendorService>)[name]!;
  }

  private requestFor(call: ProviderCall): VendorRequest | null {
    return this.serviceOf(call.service).request(call.input as never, this.setup.settings);
  }

  /** Converts a result to the service's output. A result that the operator's accept rule rejects becomes a miss. */
  private toAnswer(
    call: ProviderCall,
    data: Record<string, unknown> | null,
    cost: ProviderAnswer['cost'] | null,
  ): ProviderAnswer {
    const isDeclined = data !== null && call.stopsAt?.includes(String(data.status)) === false;
    const found = data !== null && !isDeclined;
    const output = fullOutput(call.service, found ? data : missOutput(call.service, call.input), {
      found,
      provider: this.id,
    });
    this.parseBody(findService(call.service)!.output, output);
    return {
      found,
      deep: false,
      provider: this.id,
      output,
      cost: cost ?? null,
      ...(isDeclined ? { isDeclined } : {}),
    };
  }

  /** Starts a job, unless this search already has one, and polls it until it ends. */
  private async askForJob(call: ProviderCall, request: VendorRequest, poll: VendorPoll): Promise<unknown> {
    let id = await this.rememberedJob(call);
    if (id === null) {
      const started = await this.askVendor(call, request);
      if (started === MISS) return MISS;
      id = poll.id(this.parseBody(poll.started, started));
      await this.rememberJob(call, id);
      await this.clock.wait(poll.everyMs, call.signal).catch(() => call.signal.throwIfAborted());
    }
    for (;;) {
      const body = await this.pollJob(call, id, poll);
      if (body === MISS) return MISS;
      const reading = this.parseBody(poll.reading, body);
      const state = poll.state(reading);
      if (state === 'miss') return MISS;
      if (state === 'done') return poll.result ? this.askVendor(call, poll.result(reading)) : body;
      if (state !== 'pending') throw failureOfMeaning(this.id, state);
      await this.clock.wait(poll.everyMs, call.signal).catch(() => call.signal.throwIfAborted());
    }
  }

  private async pollJob(call: ProviderCall, id: string, poll: VendorPoll): Promise<unknown> {
    if (poll.perMinute !== undefined) {
      const rate = [{ calls: poll.perMinute, windowMs: MINUTE_MS }];
      const windows = this.readings.get(poll) ?? new RateWindows(rate, () => this.clock.now());
      this.readings.set(poll, windows);
      const { waitMs, giveBack } = windows.book();
      if (waitMs > 0)
        await this.clock.wait(waitMs, call.signal).catch(() => {
          giveBack();
          call.signal.throwIfAborted();
        });
    }
    return this.askVendor(call, poll.read(id));
  }

  private async rememberedJob(call: ProviderCall): Promise<string | null> {
    const own = this.jobs.get(call);
    if (own !== undefined) return own;
    return savedBy(this.id, call);
  }

  private async rememberJob(call: ProviderCall, id: string): Promise<void> {
    this.jobs.set(call, id);
    // If saving fails, this process continues with the job: calling the next vendor would pay twice for the result.
    await saveFor(this.id, id, call).catch((error: unknown) => {
      if (error instanceof SearchLostError) throw error;
    });
  }

  /** @returns the parsed body; {@link MISS} when the status means that nothing was found */
  private async askVendor(call: ProviderCall, request: VendorRequest): Promise<unknown> {
    const answer = await this.sendRequest(call, request);
    const meaning = this.meaningOf(answer);
    if (meaning === 'miss') return MISS;
    if (meaning === null) return this.parseJson(answer);
    const { pauseMs } = this.setup.vendor;
    const header = (name: string): string | null => answer.headers.get(name);
    throw failureOfMeaning(this.id, meaning, retryAfterOf(header('retry-after')) ?? pauseMs?.(header));
  }

  private async sendRequest(
    call: Pick<ProviderCall, 'service' | 'signal'>,
    { method, path, query = {}, body }: VendorRequest,
  ): Promise<OutboundAnswer> {
    const { key, baseUrl, vendor } = this.setup;
    const { callMs = CALL_MS } = this.options;
    const given = Object.entries(query).flatMap(([name, value]): Array<[string, string]> =>
      value === undefined ? [] : [[name, String(value)]],
    );
    const search = new URLSearchParams(given).toString();
    try {
      return await this.client.sendRequest({
        method,
        url: `${baseUrl}${path}${search && '?'}${search}`,
        headers: {
          accept: 'application/json',
          ...(vendor.key && key !== null ? { [vendor.key.header]: `${vendor.key.prefix ?? ''}${key}` } : {}),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: call.signal,
        bytesMax: ANSWER_BYTES_MAX,
        timeoutMs: callMs[findSlowService(call.service) ? 'slow' : 'fast'],
        redirectsMax: 0,
      });
    } catch (error) {
      throw error instanceof OutboundError ? failureOfCall(this.id, error) : error;
    }
  }

  /** @returns the meaning of a refusal; null when the body is a result */
  private meaningOf(answer: OutboundAnswer): Meaning | null {
    const { status } = answer;
    const { meaning = {}, meaningOf } = this.setup.vendor;
    const isGood = status >= 200 && status <= 299;
    const documented = isGood ? null : (meaningOf?.(status, bodyOf(answer)) ?? null);
    return documented ?? meaning[status] ?? (isGood ? null : usualMeaning(status));
  }

  private parseJson(answer: OutboundAnswer): unknown {
    try {
      return jsonOf(answer);
    } catch (error) {
      throw invalidOutput(this.id, error);
    }
  }

  private parseBody(schema: z.ZodType, body: unknown): unknown {
    const parsed = schema.safeParse(body);
    if (parsed.success) return parsed.data;
    throw invalidOutput(this.id, parsed.error);
  }
}

/** @returns the services of a vendor; without getEmail when none of its results would be accepted */
export function servicesOf(vendor: Vendor, acceptedStatuses: readonly string[]): string[] {
  return Object.entries(vendor.services)
    .filter(
      ([, { statuses }]) =>
        statuses === undefined || statuses.some((each) => acceptedStatuses.includes(each)),
    )
    .map(([name]) => name);
}

/** @returns the parsed body of a refusal; null when it is not JSON, such as an error page of a proxy */
function bodyOf(answer: OutboundAnswer): unknown {
  try {
    return jsonOf(answer);
  } catch {
    return null;
  }
}
