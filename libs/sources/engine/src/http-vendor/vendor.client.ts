import { parseBoundedJson } from '@quarry/resilience';
import { OutboundNetwork, type OutboundAnswer, type OutboundClient } from '@quarry/safe-http';

/**
 * 1 MiB after decoding. The largest answer of the catalogue, a hundred comments, has about 100 kB; a full list of a
 * hundred answers must still fit into one response, and twenty answers read at once into a small worker.
 */
export const ANSWER_BYTES_MAX = 1_048_576;
/** Values of one list. The longest page of a vendor of the catalogue has a hundred records, and a record's lists have fewer. */
const ITEMS_MAX = 1_000;
/** Longer than any service waits: the call's own signal ends it. */
const CALL_MS = 15 * 60_000;

export interface VendorPost {
  /** Behind the base address, with its slash. */
  path: string;
  headers: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body: unknown;
  signal: AbortSignal;
}

/** Speaks JSON with one server that the operator has named, wherever it is. No answer of it leads to another one. */
export class VendorClient {
  private readonly baseUrl: string;
  private readonly client: OutboundClient;

  constructor(baseUrl: string) {
    this.baseUrl = baseUrl.replace(/\/+$/, '');
    this.client = OutboundNetwork.clientFor(baseUrl).openClient();
  }

  /**
   * Asks once.
   * @returns the answer, without what a server says of its own failures
   * @throws OutboundError when there is no readable answer
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

/** @returns what a vendor has said. @throws Error when it is no JSON in UTF-8, is too deep, or has a list of more than 1,000 */
export function jsonOf({ bytes }: Pick<OutboundAnswer, 'bytes'>): unknown {
  return parseBoundedJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes), { itemsMax: ITEMS_MAX });
}
