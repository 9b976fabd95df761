import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { cleanText, retryAfterOf } from '@quarry/call-policy';
import { AddressGuard, DnsClient, OutboundClient, OutboundError } from '@quarry/outbound';

/** Source: Standard Webhooks, which wants 15 to 30 seconds. */
const TIMEOUT_MS = 15_000;
/** What is read of an answer, and what is kept of it. */
const ANSWER_BYTES_MAX = 64 * 1024;
const KEPT_BYTES_MAX = 1024;
/** Beside 443. */
const PORTS = [8443];

/** What is known of the network. */
export interface WebhookNetwork {
  /** `host:port` pairs of the operator's own network, which may also be asked without TLS. */
  allowHosts: readonly string[];
  dnsServers?: readonly string[];
  controlNames?: readonly string[];
  /** How long a receiver may take to answer, in milliseconds; 15,000 when left out. */
  timeoutMs?: number;
}

/** How a receiver has answered, or why it has not. */
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
    const { allowHosts, dnsServers, controlNames } = network;
    this.guard = new AddressGuard({ allowHosts, dns: new DnsClient(dnsServers, controlNames), ports: PORTS });
    this.client = new OutboundClient(this.guard, 'Quarry-Webhooks');
  }

  /** @returns why a webhook may not have this address; null when it may, which says nothing of where its name leads */
  refusalOf(address: string): string | null {
    try {
      const url = this.guard.parse(address);
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
  async post(
    url: string,
    { headers, body }: { headers: Readonly<Record<string, string>>; body: string },
    signal: AbortSignal,
  ): Promise<WebhookAnswer> {
    // Judged again: an operator may have taken a host off the list since.
    const refusal = this.refusalOf(url);
    if (refusal !== null) return failed(refusal);
    try {
      const answer = await this.client.ask({
        url,
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        signal,
        timeoutMs: this.network.timeoutMs ?? TIMEOUT_MS,
        bytesMax: ANSWER_BYTES_MAX,
        canCut: true,
        redirectsMax: 0,
      });
      const isRedirect = answer.status >= 300 && answer.status < 400;
      return {
        status: answer.status,
        error: isRedirect ? 'Redirects are not followed.' : null,
        text: cleanText(answer.bytes.subarray(0, KEPT_BYTES_MAX).toString('utf8')),
        retryAfterMs: retryAfterOf(answer.headers.get('retry-after')),
      };
    } catch (error) {
      if (error instanceof OutboundError) return failed(error.message);
      throw error;
    }
  }

  onApplicationShutdown(): Promise<void> {
    return this.client.close();
  }
}

function failed(error: string): WebhookAnswer {
  return { status: null, error, text: null, retryAfterMs: undefined };
}
