import { OutboundError, type OutboundAnswer } from '@quarry/safe-http';
import { findSlowService } from '@quarry/service-catalog';
import { z } from 'zod';
import type { ProviderAnswer, ProviderCall, LookupProvider } from '../ports/lookup.port.js';
import { failureOfCall, failureOfStatus, invalidOutput } from './vendor-failure.js';
import { jsonOf, VendorClient } from './vendor.client.js';

export interface HttpVendorOptions {
  /** Name of the provider in responses and in the catalogue. */
  id: string;
  /** Address in front of `/v1/lookups/…`. */
  baseUrl: string;
  /** Sent as a bearer token. */
  key: string;
  /** Names of the slow services that the vendor supports. */
  services: readonly string[];
}

const answerSchema = z.object({
  found: z.boolean(),
  deep: z.boolean().optional(),
  output: z.record(z.string(), z.unknown()),
});

/**
 * Calls the operator's own vendor with the protocol of docs/vendors.md: one POST per lookup, with the search id as the
 * idempotency key. Does not retry: that is the job of the layer around it.
 */
export class HttpVendorProvider implements LookupProvider {
  readonly id: string;
  readonly services: readonly string[];
  private readonly client: VendorClient;

  constructor(private readonly options: HttpVendorOptions) {
    this.id = options.id;
    this.services = options.services;
    this.client = new VendorClient(options.baseUrl);
  }

  async answerCall(call: ProviderCall): Promise<ProviderAnswer> {
    const post = {
      path: `/v1/lookups/${encodeURIComponent(call.service)}`,
      headers: { authorization: `Bearer ${this.options.key}`, 'idempotency-key': call.searchId },
      body: { input: call.input },
      signal: call.signal,
    };
    const answer = await this.client.postRequest(post).catch((error: unknown) => {
      throw error instanceof OutboundError ? failureOfCall(this.id, error) : error;
    });
    if (answer.status < 200 || answer.status > 299) throw failureOfStatus(this.id, answer);
    return this.readAnswer(call.service, answer);
  }

  /**
   * Reads a response. The vendor sends the provider's name and `found` once, outside `output`; both are copied into it here.
   */
  private readAnswer(service: string, answer: OutboundAnswer): ProviderAnswer {
    try {
      const { found, deep = false, output } = answerSchema.parse(jsonOf(answer));
      const full = { ...output, found, provider: this.id };
      const slow = findSlowService(service);
      slow?.output.parse(full);
      if (slow && found && isEmpty(output[slow.cellField.split('.')[0]!]))
        throw new Error('It has found something, but shows nothing.');
      return { found, deep, provider: this.id, output: full };
    } catch (error) {
      throw invalidOutput(this.id, error);
    }
  }
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}
