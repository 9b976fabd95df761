import { OutboundError, postJson } from '@quarry/platform';
import { findSlowService } from '@quarry/service-catalog';
import { z } from 'zod';
import type { ProviderAnswer, ProviderCall, SlowServiceProvider } from '../ports/slow-service.port.js';
import { failureOfCall, failureOfStatus, invalidOutput } from './vendor-failure.js';

/**
 * 1 MiB after decoding. The largest answer of the catalogue, a hundred comments, has about 100 kB; a full list of a
 * hundred answers must still fit into one response, and twenty answers read at once into a small worker.
 */
const ANSWER_BYTES_MAX = 1_048_576;

export interface HttpVendorOptions {
  /** Names the provider in answers and in the catalogue. */
  id: string;
  /** Address in front of `/v1/lookups/…`. */
  baseUrl: string;
  /** Sent as a bearer token. */
  key: string;
  /** Names of the slow services that the vendor answers. */
  services: readonly string[];
}

const answerSchema = z.object({
  found: z.boolean(),
  deep: z.boolean().optional(),
  output: z.record(z.string(), z.unknown()),
});

/**
 * Asks a vendor that the operator has brought, by the protocol of docs/vendors.md: one POST per lookup, with the
 * line's id as its idempotency key. Repeats nothing: that is for the layer around it.
 */
export class HttpVendorProvider implements SlowServiceProvider {
  readonly id: string;
  readonly services: readonly string[];
  private readonly baseUrl: string;

  constructor(private readonly options: HttpVendorOptions) {
    this.id = options.id;
    this.services = options.services;
    this.baseUrl = options.baseUrl.replace(/\/+$/, '');
  }

  async run(call: ProviderCall): Promise<ProviderAnswer> {
    const answer = await postJson({
      url: `${this.baseUrl}/v1/lookups/${encodeURIComponent(call.service)}`,
      headers: { authorization: `Bearer ${this.options.key}`, 'idempotency-key': call.searchId },
      body: { input: call.input },
      signal: call.signal,
      bytesMax: ANSWER_BYTES_MAX,
    }).catch((error: unknown) => {
      throw error instanceof OutboundError ? failureOfCall(this.id, error) : error;
    });
    if (answer.status < 200 || answer.status > 299) throw failureOfStatus(this.id, answer);
    return this.read(call.service, answer.text);
  }

  /** The provider's name and whether it found are said once, outside `output`, and put into it here. */
  private read(service: string, text: string): ProviderAnswer {
    try {
      const { found, deep = false, output } = answerSchema.parse(JSON.parse(text));
      const full = { ...output, found, provider: this.id };
      findSlowService(service)?.output.parse(full);
      return { found, deep, provider: this.id, output: full };
    } catch (error) {
      throw invalidOutput(this.id, error);
    }
  }
}
