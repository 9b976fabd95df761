import type { LookupFunction } from 'node:net';
import { cleanText } from '@quarry/resilience';
import { OutboundError, type AddressGuard } from '@quarry/safe-http';

export const CONNECT_MS = 15_000;
export const GREETING_MS = 15_000;
/** Maximum number of characters stored of a server's reply. */
const REPLY_MAX = 500;

/**
 * Checks the address of a mail server. The returned lookup function makes a socket connect only to the addresses that were
 * checked.
 * @param ports permitted for such a server, unless the operator allows its host and port
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

/** Returns a server's reply on one line, without characters that the database cannot store. */
export function excerptOf(reply: string): string {
  return cleanText(reply)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, REPLY_MAX)
    .toWellFormed();
}

/** Fields of a connection error, as the libraries provide them. */
export interface ConnectionFault {
  code?: string;
  originalCode?: string;
  message: string;
  tlsFailed?: boolean;
}

/**
 * Returns why the TLS connection failed, in words for the person who entered the settings; null when TLS is not the cause.
 */
export function tlsFaultOf({ code, originalCode, message, tlsFailed }: ConnectionFault): string | null {
  const text = `${code} ${originalCode} ${message}`;
  if (/CERT|ALTNAME|self.signed|certificate|UNABLE_TO_VERIFY/i.test(text))
    return 'The certificate of the server is not valid for this host.';
  if (tlsFailed || /STARTTLS|ETLS|EPROTO|ERR_SSL|UPGRADE_TIMEOUT/i.test(text))
    return 'The server offers no TLS connection at this port; check the port and the encryption setting.';
  return null;
}
