import { parseBoundedJson } from '@quarry/resilience';
import { OutboundNetwork, type OutboundAnswer, type OutboundClient } from '@quarry/safe-http';

/**
 * 1 MiB after decoding. The largest response of the catalogue, a hundred comments, has about 100 kB; a page of a hundred
 * results must still fit into one response, and twenty concurrent responses into the memory of a small worker.
 */
export const ANSWER_BYTES_MAX = 1_048_576;
/**
 * Maximum length of one list. The longest page of a vendor of the catalogue has 100 records; the lists of a record are
 * shorter.
 */
const ITEMS_MAX = 1_000;
/** Longer than the timeout of any service: the signal of the call ends it first. */
const CALL_MS = 15 * 60_000;

export interface VendorPost {
  /** Path relative to the base address, with a leading slash. */
  path: string;
  headers: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body: unknown;
  signal: AbortSignal;
}

/** Sends JSON to one server that the operator configured, at any address. Redirects to other servers are not followed. */
export class VendorClient {
  private readonly baseUrl: string;
  private readonly client: OutboundClient;

  constructor(baseUrl: string) {
    this.baseUrl = baseUrl.replace(/\/+$/, '');
    this.client = OutboundNetwork.clientFor(baseUrl).openClient();
  }

  /**
   * Sends one request, without retries.
   * @returns the response; its body is dropped when the status is not 2xx
   * @throws OutboundError when there is no readable response
   * @throws the signal's reason when it fires
   */
  postRequest({ path, headers, body, signal }: VendorPost): Promise<OutboundAnswer> {
    return this.client.sendRequest({
      method: 'POST',
      url: this.baseUrl + path,
      headers: { accept: 'application/json', ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
      bytesMax: ANSWER_BYTES_MAX,
      timeoutMs: CALL_MS,
      skipErrorBody: true,
      redirectsMax: 0,
    });
  }
}

/**
 * @returns the parsed body.
 * @throws Error when it is not JSON in UTF-8, is nested too deeply, or has a list of more than 1,000
 */
export function jsonOf({ bytes }: Pick<OutboundAnswer, 'bytes'>): unknown {
  return parseBoundedJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes), { itemsMax: ITEMS_MAX });
}
