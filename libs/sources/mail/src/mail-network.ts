import type { LookupFunction } from 'node:net';
import { cleanText } from '@quarry/resilience';
import { OutboundError, type AddressGuard } from '@quarry/safe-http';

export const CONNECT_MS = 15_000;
export const GREETING_MS = 15_000;
/** Letters of a server's words that are kept. */
const REPLY_MAX = 500;

/**
 * Checks where a server of a mailbox may be. The answer leads a socket to the addresses that were checked, and nowhere else.
 * @param ports where such a server may be asked, unless the operator allows its host and port
 * @throws OutboundError `refused` or `unreachable`
 */
export async function checkMailServer(
  guard: AddressGuard,
  { host, port }: { host: string; port: number },
  ports: readonly number[],
): Promise<LookupFunction> {
  if (!ports.includes(port) && !guard.isAllowedAt(host, port))
    throw new OutboundError('refused', `Only the ports ${ports.join(' and ')} are allowed.`);
  return guard.lookupAt(host, port);
}

/** Returns what a server has said, on one line and fit for the database. */
export function excerptOf(reply: string): string {
  return cleanText(reply)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, REPLY_MAX)
    .toWellFormed();
}

/** Fields of a failed connection's error, as the libraries give them. */
export interface ConnectionFault {
  code?: string;
  originalCode?: string;
  message: string;
  tlsFailed?: boolean;
}

/** Returns why no protected connection came about, where that is so, in words for the person who has entered the settings. */
export function tlsFaultOf({ code, originalCode, message, tlsFailed }: ConnectionFault): string | null {
  const text = `${code} ${originalCode} ${message}`;
  if (/CERT|ALTNAME|self.signed|certificate|UNABLE_TO_VERIFY/i.test(text))
    return 'The certificate of the server is not valid for this host.';
  if (tlsFailed || /STARTTLS|ETLS|EPROTO|ERR_SSL|UPGRADE_TIMEOUT/i.test(text))
    return 'The server offers no TLS connection at this port; check the port and the encryption setting.';
  return null;
}
