import { randomBytes } from 'node:crypto';
import { domainToASCII } from 'node:url';
import { registrableDomain } from '@quarry/dto';
import { OutboundError, UntrustedNamesError, type DnsClient, type MailProbe } from '@quarry/safe-http';
import { disposableEmailBlocklistSet } from 'disposable-email-domains-js';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { answerOf, type ProviderAnswer, type ProviderCall, type LookupProvider } from '@quarry/engine';
import { pageFailure } from '../pages/page-failure.js';
import { saysYesToAll, verdictOf } from './mail-verdict.js';
import { isRoleName } from './role-addresses.js';

// Source: RFC 5321, section 4.5.3.1.
const LOCAL_PART_MAX = 64;
const ADDRESS_MAX = 254;
/**
 * Maximum number of mail servers tried: a domain names several in case one is down; more would use up the time of the call.
 */
const SERVERS_MAX = 2;
/**
 * Milliseconds that an unresponsive server is not contacted: a list of people would contact the same one again and again.
 */
const SILENT_KEPT_MS = 60_000;
const SILENT_MAX = 1_000;
const address = z.email({ pattern: z.regexes.unicodeEmail });

type Status = 'valid' | 'invalid' | 'catch_all' | 'disposable' | 'role' | 'unknown';
interface Finding {
  status: Status;
  reason: string;
}

export interface VerifyEmailParts {
  dns: DnsClient;
  /** null when mail servers must not be contacted. */
  probe: MailProbe | null;
}

/**
 * Implements verifyEmail by syntax, by the domain's DNS records, by lists, and by checking whether the mail server accepts
 * mail for the address and for a random one. An undetermined verdict is `unknown`, with the reason.
 */
export class VerifyEmailProvider implements LookupProvider {
  readonly id = 'mail-servers';
  readonly services = ['verifyEmail'];
  private disposable: ReadonlySet<string> | null = null;
  /** Reasons why mail servers could not be contacted, by their names and the domain. */
  private readonly silent = new LRUCache<string, string>({ max: SILENT_MAX, ttl: SILENT_KEPT_MS });

  constructor(private readonly parts: VerifyEmailParts) {}

  async answerCall(call: ProviderCall): Promise<ProviderAnswer> {
    const { email } = call.input as { email: string };
    const { host, ...finding } = await this.verifyAddress(email, call);
    // The next provider may be able to resolve an unknown verdict. Every call costs the same.
    return answerOf(this.id, finding.status !== 'unknown', { email, ...finding, mx_host: host });
  }

  private async verifyAddress(email: string, call: ProviderCall): Promise<Finding & { host: string | null }> {
    const at = email.lastIndexOf('@');
    const [localPart, domain] = [email.slice(0, at), domainToASCII(email.slice(at + 1))];
    const isTooLong = email.length > ADDRESS_MAX || Buffer.byteLength(localPart) > LOCAL_PART_MAX;
    if (isTooLong || domain === '' || !address.safeParse(email).success)
      return { status: 'invalid', reason: 'It is not a valid e-mail address.', host: null };
    const hosts = await this.hostsOf(domain).catch((error: unknown) => {
      if (error instanceof UntrustedNamesError) return pageFailure(this.id)(error);
      if (error instanceof OutboundError) return null;
      throw error;
    });
    if (hosts === null)
      return { status: 'unknown', reason: 'The name servers of the domain did not answer.', host: null };
    if (typeof hosts === 'string') return { status: 'invalid', reason: hosts, host: null };
    const host = hosts[0]!;
    if (this.isDisposable(domain))
      return { status: 'disposable', reason: 'The domain provides disposable addresses.', host };
    const mailboxAnswer = await this.askMailServers({ localPart, domain }, hosts, call);
    // A role overrides the server's reply, except when the mailbox does not exist.
    if (isRoleName(localPart) && mailboxAnswer.status !== 'invalid') {
      const heard =
        mailboxAnswer.status === 'valid'
          ? 'The mail server knows this address.'
          : `Details: ${mailboxAnswer.reason}`;
      return {
        ...mailboxAnswer,
        status: 'role',
        reason: `This is a role address, not that of a person. ${heard}`,
      };
    }
    return mailboxAnswer;
  }

  /** @returns mail servers of a domain by preference, or the reason why it has none. Source: RFC 5321, 5.1; RFC 7505 */
  private async hostsOf(domain: string): Promise<string[] | string> {
    const servers = await this.parts.dns.mailServers(domain);
    if (servers.length > 0) {
      const hosts = servers.map(({ host }) => host).filter((host) => host !== '' && host !== '.');
      return hosts.length > 0 ? hosts : 'The domain states that it accepts no mail.';
    }
    const addresses = await this.parts.dns.resolveAddresses(domain);
    return addresses.length > 0 ? [domain] : 'The domain has no mail server.';
  }

  private isDisposable(domain: string): boolean {
    this.disposable ??= disposableEmailBlocklistSet();
    return this.disposable.has(domain) || this.disposable.has(registrableDomain(domain) ?? '');
  }

  private async askMailServers(
    { localPart, domain }: { localPart: string; domain: string },
    hosts: readonly string[],
    { signal, holdDeadline }: ProviderCall,
  ): Promise<Finding & { host: string }> {
    const host = hosts[0]!;
    const unknown = (reason: string, at = host) => ({ status: 'unknown' as const, reason, host: at });
    const { probe } = this.parts;
    if (!probe)
      return unknown('The domain accepts mail. Mail servers are not asked here (SMTP_PROBE is off).');
    // Cannot exist: 80 random bits.
    const nobody = `${randomBytes(10).toString('hex')}@${domain}`;
    let failure = '';
    for (const at of hosts.slice(0, SERVERS_MAX)) {
      // A server may be unresponsive for one domain only: thousands of domains share a server.
      const key = `${at} ${domain}`;
      const silence = this.silent.get(key);
      if (silence !== undefined) {
        failure = silence;
        continue;
      }
      try {
        const answer = await probe.probeRecipients(at, [`${localPart}@${domain}`, nobody], {
          signal,
          holdDeadline,
        });
        return { ...findingOf(answer, at), host: at };
      } catch (error) {
        if (!(error instanceof OutboundError)) throw error;
        failure = error.message;
        if (error.fault === 'unreachable' || error.fault === 'too slow') this.silent.set(key, failure);
      }
    }
    return unknown(`The domain accepts mail, but its mail server could not be asked. ${failure}`);
  }
}

function findingOf(
  { refusal, recipients: [own, nobody] }: Awaited<ReturnType<MailProbe['probeRecipients']>>,
  host: string,
): Finding {
  const unknown = (reason: string): Finding => ({ status: 'unknown', reason });
  if (refusal) return unknown(`The mail server refuses to talk to this machine (${refusal.code}).`);
  if (!own) return unknown('The mail server did not answer.');
  const heard = verdictOf(own);
  if (heard === 'no such mailbox')
    return { status: 'invalid', reason: `The mail server does not know the mailbox (${numbersOf(own)}).` };
  if (heard === 'later')
    return unknown(
      `The mail server asks to come back later (${numbersOf(own)}), as servers do that greylist.`,
    );
  if (heard === 'refused us')
    return unknown(`The mail server refuses this machine, not the mailbox (${numbersOf(own)}).`);
  if (heard !== 'taken' || !nobody)
    return unknown(`The mail server does not say whether it knows the mailbox (${numbersOf(own)}).`);
  const other = verdictOf(nobody);
  if (other === 'no such mailbox')
    return { status: 'valid', reason: 'The mail server accepts mail for this address, and rejects others.' };
  if (other !== 'taken')
    return unknown(
      'The mail server accepts mail for this address; whether it accepts every address is not known.',
    );
  if (saysYesToAll(host))
    return unknown('The mail server accepts mail for every address, and checks it only later.');
  return {
    status: 'catch_all',
    reason: 'The mail server accepts mail for every address of the domain (catch-all).',
  };
}

function numbersOf({ code, status }: { code: number; status: string | null }): string {
  return status === null ? String(code) : `${code} ${status}`;
}
