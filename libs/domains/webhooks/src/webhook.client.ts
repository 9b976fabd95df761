import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { cleanText, retryAfterOf } from '@quarry/resilience';
import {
  OutboundError,
  OutboundNetwork,
  type AddressGuard,
  type NetworkSettings,
  type OutboundClient,
} from '@quarry/safe-http';

/** Source: Standard Webhooks, which recommends 15 to 30 seconds. */
const TIMEOUT_MS = 15_000;
/** Maximum number of bytes of a response that are read, and that are stored. */
const ANSWER_BYTES_MAX = 64 * 1024;
const KEPT_BYTES_MAX = 1024;
/** Allowed ports in addition to 443. */
const PORTS = [8443];

/** Network rules for receivers. Allowed hosts in the operator's network may also be called without TLS. */
export interface WebhookNetwork extends NetworkSettings {
  /** Overrides of the vendors' addresses, by the kind of a destination. */
  destinationUrls?: Readonly<Record<string, string>>;
  /** Timeout of a receiver in milliseconds; 15,000 by default. */
  timeoutMs?: number;
}

/** Response of a receiver, or the reason why there is none. */
export interface WebhookAnswer {
  status: number | null;
  error: string | null;
  /** Start of the response body. */
  text: string | null;
  retryAfterMs: number | undefined;
}

/** Posts messages to customers' URLs, as far as the address guard allows it. */
@Injectable()
export class WebhookClient implements OnApplicationShutdown {
  private readonly guard: AddressGuard;
  private readonly client: OutboundClient;

  constructor(private readonly network: WebhookNetwork) {
    const outbound = new OutboundNetwork(network, PORTS);
    this.guard = outbound.guard;
    this.client = outbound.openClient('Quarry-Webhooks');
  }

  /** @returns the reason why a webhook may not have this URL; null if it may. The addresses of its host are not checked here */
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
   * Posts one message. Redirects are not followed.
   * @throws the signal's reason if it fires
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
   * Sends one request with a JSON body or none. Redirects are not followed.
   * @param bytesMax maximum number of bytes read from the response
   * @throws the signal's reason if it fires
   */
  async sendRequest(
    url: string,
    request: { method: 'GET' | 'PATCH' | 'POST'; headers: Readonly<Record<string, string>>; body?: string },
    bytesMax: number,
    signal: AbortSignal,
  ): Promise<Omit<WebhookAnswer, 'text'> & { bytes: Buffer | null }> {
    // Checked again, because the operator may have removed the host from the list since.
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

  /** @returns the configured address of a vendor, or its usual one */
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
