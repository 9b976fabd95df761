import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { cleanText, retryAfterOf } from '@quarry/resilience';
import {
  OutboundError,
  OutboundNetwork,
  type AddressGuard,
  type NetworkSettings,
  type OutboundClient,
} from '@quarry/safe-http';

/** Source: Standard Webhooks, which wants 15 to 30 seconds. */
const TIMEOUT_MS = 15_000;
/** Bytes of an answer that are read, and those that are kept. */
const ANSWER_BYTES_MAX = 64 * 1024;
const KEPT_BYTES_MAX = 1024;
/** Beside 443. */
const PORTS = [8443];

/** The rules for receivers. What is allowed of the operator's own network may also be called without TLS. */
export interface WebhookNetwork extends NetworkSettings {
  /** Other addresses of vendors than their own, by the kind of a destination. */
  destinationUrls?: Readonly<Record<string, string>>;
  /** Milliseconds that a receiver may take to answer; 15,000 when left out. */
  timeoutMs?: number;
}

/** Answer of a receiver, or the reason that there is none. */
export interface WebhookAnswer {
  status: number | null;
  error: string | null;
  /** The beginning of what it said. */
  text: string | null;
  retryAfterMs: number | undefined;
}

/** Posts messages to addresses that customers have named, as far as the guard lets it. */
@Injectable()
export class WebhookClient implements OnApplicationShutdown {
  private readonly guard: AddressGuard;
  private readonly client: OutboundClient;

  constructor(private readonly network: WebhookNetwork) {
    const outbound = new OutboundNetwork(network, PORTS);
    this.guard = outbound.guard;
    this.client = outbound.openClient('Quarry-Webhooks');
  }

  /** @returns why a webhook may not have this address; null when it may, which says nothing of where its name leads */
  refusalOf(address: string): string | null {
    try {
      const url = this.guard.parseUrl(address);
      return url.protocol === 'https:' || this.guard.isAllowed(url) ? null : 'It must begin with https://.';
    } catch (error) {
      if (error instanceof OutboundError) return error.message;
      throw error;
    }
  }

  /**
   * Posts one message. No redirect is followed.
   * @throws the signal's reason when it fires
   */
  async postMessage(
    url: string,
    message: { headers: Readonly<Record<string, string>>; body: string },
    signal: AbortSignal,
  ): Promise<WebhookAnswer> {
    const { bytes, ...answer } = await this.sendRequest(
      url,
      { method: 'POST', ...message },
      ANSWER_BYTES_MAX,
      signal,
    );
    const text = bytes && cleanText(bytes.subarray(0, KEPT_BYTES_MAX).toString('utf8'));
    return { ...answer, text };
  }

  /**
   * Makes one request with a body of JSON or none. No redirect is followed.
   * @param bytesMax what is read of the answer
   * @throws the signal's reason when it fires
   */
  async sendRequest(
    url: string,
    request: { method: 'GET' | 'PATCH' | 'POST'; headers: Readonly<Record<string, string>>; body?: string },
    bytesMax: number,
    signal: AbortSignal,
  ): Promise<Omit<WebhookAnswer, 'text'> & { bytes: Buffer | null }> {
    // Judged again: an operator may have taken a host off the list since.
    const refusal = this.refusalOf(url);
    if (refusal !== null) return failedAnswer(refusal);
    try {
      const answer = await this.client.sendRequest({
        ...request,
        url,
        headers: { ...request.headers, 'content-type': 'application/json' },
        signal,
        timeoutMs: this.network.timeoutMs ?? TIMEOUT_MS,
        bytesMax,
        canCut: true,
        redirectsMax: 0,
      });
      const isRedirect = answer.status >= 300 && answer.status < 400;
      return {
        status: answer.status,
        error: isRedirect ? 'Redirects are not followed.' : null,
        bytes: answer.bytes,
        retryAfterMs: retryAfterOf(answer.headers.get('retry-after')),
      };
    } catch (error) {
      if (error instanceof OutboundError) return failedAnswer(error.message);
      throw error;
    }
  }

  /** @returns where a vendor is, as the operator says or as usual */
  vendorUrl(kind: string, usual: string): string {
    return this.network.destinationUrls?.[kind] ?? usual;
  }

  onApplicationShutdown(): Promise<void> {
    return this.client.close();
  }
}

function failedAnswer(error: string): Omit<WebhookAnswer, 'text'> & { bytes: null } {
  return { status: null, error, bytes: null, retryAfterMs: undefined };
}
