import { createPublicKey } from 'node:crypto';
import type { DnsClient } from '@quarry/safe-http';

/** DNS record of a domain about its permitted senders, as the Mailbox resource shows it. */
export interface DomainRecord {
  status: 'good' | 'weak' | 'missing' | 'unknown';
  /** Finding and advice. */
  explanation: string;
}

/** DKIM selectors of the most widely used mail services. */
const USUAL_SELECTORS = [
  'google',
  'selector1',
  'selector2',
  'default',
  'dkim',
  'mail',
  'k1',
  's1',
  'protonmail',
  'fm1',
  'zoho',
  'mxvault',
  'smtp',
];
/** Minimum key length in bits. Source: RFC 8301, 3.2: shorter keys are not trusted. */
const KEY_BITS_MIN = 1024;

/** Checks the DNS records with which receivers verify that a message comes from its domain. */
export class DomainRecords {
  constructor(private readonly dns: Pick<DnsClient, 'resolveTexts'>) {}

  /**
   * @param domain of a mailbox's address
   * @param dkimSelector under which the key is published; null to try the usual ones
   * @returns a verdict for each record; `unknown` when the name servers do not respond. Never throws
   */
  async checkDomain(
    domain: string,
    dkimSelector: string | null,
  ): Promise<{ spf: DomainRecord; dkim: DomainRecord; dmarc: DomainRecord }> {
    const [spf, dkim, dmarc] = await Promise.all([
      orUnknown(this.checkSpf(domain)),
      orUnknown(dkimSelector === null ? this.usualDkim(domain) : this.checkDkim(domain, dkimSelector)),
      orUnknown(this.checkDmarc(domain)),
    ]);
    return { spf, dkim, dmarc };
  }

  /** Source: RFC 7208. */
  private async checkSpf(domain: string): Promise<DomainRecord> {
    const records = (await this.dns.resolveTexts(domain)).filter((text) => /^v=spf1(?: |$)/i.test(text));
    const [record] = records;
    if (record === undefined)
      return {
        status: 'missing',
        explanation: `Publish a TXT record at ${domain} that begins with v=spf1, names the servers that send for it, and ends with ~all or -all.`,
      };
    if (records.length > 1)
      return weakRecord(
        `${domain} has ${records.length} SPF records, so receivers accept none of them. Merge them into one.`,
      );
    if (/(?:^| )\+?all(?: |$)/i.test(record))
      return weakRecord('The SPF record allows everybody to send for this domain. End it with ~all or -all.');
    if (!/(?:^| )(?:[-~]all|redirect=\S+)(?: |$)/i.test(record))
      return weakRecord('The SPF record says nothing about other servers. End it with ~all or -all.');
    return { status: 'good', explanation: 'The SPF record names who may send, and forbids all others.' };
  }

  /** Source: RFC 6376, 3.6.1. */
  private async checkDkim(domain: string, selector: string): Promise<DomainRecord> {
    const name = `${selector}._domainkey.${domain}`;
    const keys = (await this.dns.resolveTexts(name)).flatMap(
      (text) => /(?:^|;)\s*p=([^;]*)/i.exec(text)?.[1] ?? [],
    );
    const [key] = keys;
    if (key === undefined)
      return {
        status: 'missing',
        explanation: `Publish the DKIM key of your mail service as a TXT record at ${name}.`,
      };
    if (key.trim() === '') return weakRecord(`The DKIM key at ${name} is revoked. Publish a new one.`);
    const bits = bitsOf(key);
    if (bits !== null && bits < KEY_BITS_MIN)
      return weakRecord(
        `The DKIM key at ${name} has ${bits} bits, which receivers do not trust. Publish one of 2048 bits.`,
      );
    return { status: 'good', explanation: `A DKIM key is published at ${name}.` };
  }

  private async usualDkim(domain: string): Promise<DomainRecord> {
    const found = await Promise.all(USUAL_SELECTORS.map((selector) => this.checkDkim(domain, selector)));
    return (
      found.find(({ status }) => status === 'good') ??
      found.find(({ status }) => status === 'weak') ?? {
        status: 'unknown',
        explanation:
          'No DKIM key was found under the usual selectors. Check in the settings of your mail service whether it signs your messages, and with which selector.',
      }
    );
  }

  /** Source: RFC 7489; a domain without a record inherits that of its parent domain. */
  private async checkDmarc(domain: string): Promise<DomainRecord> {
    for (let name = domain; name.includes('.'); name = name.slice(name.indexOf('.') + 1)) {
      const records = (await this.dns.resolveTexts(`_dmarc.${name}`)).filter((text) =>
        /^v=DMARC1\s*(?:;|$)/i.test(text),
      );
      const [record] = records;
      if (record === undefined) continue;
      if (records.length > 1)
        return weakRecord(
          `_dmarc.${name} has ${records.length} records, so receivers accept none of them. Keep only one.`,
        );
      const policy = /;\s*p=\s*(\w+)/i.exec(record)?.[1]?.toLowerCase();
      if (policy === 'quarantine' || policy === 'reject')
        return { status: 'good', explanation: `The DMARC policy at _dmarc.${name} is ${policy}.` };
      return weakRecord(
        `The DMARC record at _dmarc.${name} sets no policy (p=none). Once SPF and DKIM pass, set p=quarantine.`,
      );
    }
    return {
      status: 'missing',
      explanation: `Publish a TXT record at _dmarc.${domain}, at first v=DMARC1; p=none. Large mail providers require one.`,
    };
  }
}

function weakRecord(explanation: string): DomainRecord {
  return { status: 'weak', explanation };
}

async function orUnknown(checking: Promise<DomainRecord>): Promise<DomainRecord> {
  try {
    return await checking;
  } catch {
    return {
      status: 'unknown',
      explanation: 'The name servers did not answer. Quarry looks it up again later.',
    };
  }
}

/** @returns the length of an RSA key in bits; null for another type of key or an unreadable one */
function bitsOf(key: string): number | null {
  try {
    const der = Buffer.from(key.replace(/\s+/g, ''), 'base64');
    return (
      createPublicKey({ key: der, format: 'der', type: 'spki' }).asymmetricKeyDetails?.modulusLength ?? null
    );
  } catch {
    return null;
  }
}
