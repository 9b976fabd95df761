import { setImmediate } from 'node:timers/promises';
import { registrableDomain, siteOf } from '@quarry/dto';
import {
  ProviderFailure,
  type Cost,
  type LookupProvider,
  type ProviderAnswer,
  type ProviderCall,
  isReservedName,
  ACCEPTED_STATUSES,
  fullOutput,
  missOutput,
} from '@quarry/engine';
import { nameIn, textIn, phonesOf, PersonName } from '@quarry/extraction';
import { pageFailure } from '../pages/page-failure.js';
import type { ContactSite, ContactSites } from './contact-sites.js';
import { isFreeMail } from './free-mail.catalogue.js';
import type { MailboxChecks, MailboxState } from './mailbox-checks.js';
import { LIKELY_MAX, madeAddresses, printedAddresses, type LikelyAddress } from './likely-addresses.js';
import { numbersOfPerson } from './linked-numbers.js';

type Input = Readonly<Record<string, string | undefined>>;

/** Output of getEmail for an address. Source: the catalogue. */
interface EmailAnswer {
  email: string;
  status: 'verified' | 'catch_all' | 'unverified';
  confidence: 'low' | 'medium' | 'high';
}

interface FoundEmail extends EmailAnswer {
  isPrinted: boolean;
}

export interface WebContactParts {
  sites: Pick<ContactSites, 'readSite' | 'domainOf'>;
  mailboxes: Pick<MailboxChecks, 'checkMailbox'>;
}

/**
 * Implements getEmail and getPhoneNumber with the company's own pages and its mail server. It needs a first and a last
 * name, and the company's domain or a name with which its site is found.
 *
 * getEmail: an address that the pages show as this person's; else those derived with the site's pattern, or with the common
 * patterns if the site was read and shows none. Each is verified (verifyEmail), four at most, and the first valid one is
 * `verified`. Of those that could not be verified, a printed one at a catch-all server is `catch_all`, any other
 * `unverified`; the operator's accept rule decides which count. Without a rule, any address counts that the company itself
 * shows as this person's. An address from a common pattern that is not valid is never returned.
 *
 * getPhoneNumber: numbers next to this person and nobody else. The company's switchboard is not a person's number, so it
 * does not count.
 */
export class WebContactProvider implements LookupProvider {
  readonly id = 'web';
  readonly services = ['getEmail', 'getPhoneNumber'];

  /** Promise that resolves when the last waiting call may evaluate its site. */
  private lastTurn: Promise<unknown> = Promise.resolve();

  constructor(private readonly parts: WebContactParts) {}

  /**
   * @returns whether the input names a person and a real company; names that are reserved for examples are never looked up
   */
  acceptsCall({ input }: ProviderCall): boolean {
    return nameIn(input) !== null && companyIn(input as Input) !== null;
  }

  /**
   * @throws ProviderFailure `provider_unavailable` when the name servers or the site, or a more likely site of that name,
   *   cannot be reached; `provider_rejected` for an address that must not be read, or a site that does not allow robots
   * @throws the signal's reason when it fires
   */
  async answerCall(call: ProviderCall): Promise<ProviderAnswer> {
    const [name, company] = [nameIn(call.input), companyIn(call.input as Input)];
    if (!name || !company)
      throw new ProviderFailure('provider_rejected', 'Give the name of a person and the company.', {
        provider: this.id,
      });
    call.onCall?.();
    const person = new PersonName(name.first, name.last);
    const site = await this.siteOf(company, call.signal).catch(pageFailure(this.id));
    if (!site) return this.toAnswer(call, null);
    await this.takeTurn();
    return call.service === 'getEmail'
      ? this.answerEmail(call, person, site)
      : this.answerPhone(call, person, site);
  }

  private async siteOf({ domain, name }: Company, signal: AbortSignal): Promise<ContactSite | null> {
    const address = domain ?? (await this.parts.sites.domainOf(name!, signal));
    // A mail service has a company name too, but anybody with the person's name may have the mailbox there.
    return address === null || isFreeMail(address) ? null : this.parts.sites.readSite(address, signal);
  }

  /**
   * Waits for a turn of the event loop: calls that wait for one site all resume at once, and evaluating it in sequence would
   * block others.
   */
  private takeTurn(): Promise<unknown> {
    return (this.lastTurn = this.lastTurn.then(() => setImmediate()));
  }

  private async answerEmail(
    call: ProviderCall,
    person: PersonName,
    site: ContactSite,
  ): Promise<ProviderAnswer> {
    const shown = new Set([...site.addresses.map(({ email }) => email.toLowerCase()), ...site.unevaluated]);
    const likely = [
      ...printedAddresses(person, site.addresses),
      // Derived addresses are tried only if there is a site: a domain without pages may be any mail service.
      ...(site.failure
        ? []
        : madeAddresses(person, site.pattern, { domain: site.domain, printed: shown, others: site.names })),
    ].slice(0, LIKELY_MAX);
    let best: FoundEmail | null = null;
    let failure: unknown = null;
    const costs: Cost[] = [];
    for (const [n, each] of likely.entries()) {
      const { state, ...heard } = await this.parts.mailboxes.checkMailbox(each.email, call, n);
      costs.push(...heard.costs);
      failure = heard.failure;
      const found = foundOf(each, state);
      if (found?.status === 'verified') return this.toAnswer(call, emailOf(found), sumOf(costs));
      best ??= found;
      // The server does not verify mailboxes, so further checks would be useless.
      if (state === 'catch_all' || state === 'unknown') break;
    }
    const isDeclined = best !== null && !isAccepted(best, call);
    if (best === null || isDeclined) {
      if (site.failure) pageFailure(this.id)(site.failure);
      // A miss would claim that the addresses were checked.
      if (failure) throw unverifiedFailure(this.id, failure);
    }
    return {
      ...this.toAnswer(call, best === null || isDeclined ? null : emailOf(best), sumOf(costs)),
      ...(isDeclined ? { isDeclined } : {}),
    };
  }

  private answerPhone(call: ProviderCall, person: PersonName, site: ContactSite): ProviderAnswer {
    if (site.failure) pageFailure(this.id)(site.failure);
    const numbers = numbersOfPerson(person, site.numbers);
    const phones = numbers.flatMap(({ number, source }) => phonesOf([{ number }], source)?.phones ?? []);
    return this.toAnswer(call, phones.length > 0 ? { phone_number: phones[0]!.number, phones } : null);
  }

  private toAnswer(
    { service, input }: ProviderCall,
    data: object | null,
    cost: Cost | null = null,
  ): ProviderAnswer {
    const found = data !== null;
    const outcome = { found, provider: this.id };
    return {
      found,
      deep: false,
      provider: this.id,
      cost,
      output: fullOutput(service, { ...(data ?? missOutput(service, input)) }, outcome),
    };
  }
}

interface Company {
  /** Domain or web address as given; null when only the name counts. */
  domain: string | null;
  name: string | null;
}

/** @returns null where no real company is named: none at all, a reserved name, or a site at which anybody has a page or a mailbox */
function isAccepted({ status, isPrinted }: FoundEmail, { stopsAt }: ProviderCall): boolean {
  return stopsAt ? stopsAt.includes(status) : isPrinted || ACCEPTED_STATUSES.includes(status);
}

function companyIn({ domain, company, linkedin_url: profile }: Input): Company | null {
  if ([domain, company, profile].some((each) => each !== undefined && isReservedName(each))) return null;
  const own = registrableDomain(domain ?? '');
  if (own !== null && !isFreeMail(own) && siteOf(`https://${own}`) !== null)
    return { domain: domain!.trim(), name: null };
  const name = textIn(company);
  return name === undefined || isFreeMail(name) ? null : { domain: null, name };
}

/** @returns the result for an address; null for one that must not be returned */
function foundOf({ email, from, isTelling }: LikelyAddress, state: MailboxState): FoundEmail | null {
  const known = { email, isPrinted: from === 'printed' };
  if (state === 'valid') return { ...known, status: 'verified', confidence: isTelling ? 'high' : 'medium' };
  if (state === 'invalid' || from === 'guess') return null;
  if (from === 'pattern') return { ...known, status: 'unverified', confidence: 'low' };
  return { ...known, status: state === 'catch_all' ? 'catch_all' : 'unverified', confidence: 'medium' };
}

function emailOf({ email, status, confidence }: FoundEmail): EmailAnswer {
  return { email, status, confidence };
}

function unverifiedFailure(provider: string, cause: unknown): ProviderFailure {
  const message = 'The likely addresses could not be verified.';
  return new ProviderFailure('provider_unavailable', message, { provider, isTransient: true, cause });
}

/** @returns null when nothing was charged, or in several units */
function sumOf(costs: readonly Cost[]): Cost | null {
  const [first] = costs;
  if (!first || costs.some(({ unit }) => unit !== first.unit)) return null;
  return { unit: first.unit, amount: costs.reduce((sum, { amount }) => sum + amount, 0) };
}
