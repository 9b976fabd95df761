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
import { nameIn, textIn, phonesOf } from '@quarry/extraction';
import { pageFailure } from '../pages/page-failure.js';
import type { ContactSite, ContactSites } from './contact-sites.js';
import { isFreeMail } from './free-mail.catalogue.js';
import type { MailboxChecks, MailboxState } from './mailbox-checks.js';
import { PersonName } from './person-name.js';
import { LIKELY_MAX, madeAddresses, printedAddresses, type LikelyAddress } from './likely-addresses.js';
import { numbersOfPerson } from './linked-numbers.js';

type Input = Readonly<Record<string, string | undefined>>;

/** Answer of getEmail about an address. Source: the catalogue. */
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
 * getEmail and getPhoneNumber, from the company's own pages and its mail server. It needs a first and a last name, and the company's domain
 * or a name by which its site is found.
 *
 * getEmail: an address that the pages show as this person's; else those that the site's pattern makes of the name, or the usual ones where it
 * was read and shows none. Each is asked about (verifyEmail), four at most, and the first that is valid is `verified`. Of those that nobody
 * could verify, a printed one at a server that takes all mail is `catch_all`, any other `unverified`; the operator's accept rule says which is
 * an answer. Without one, whatever the company itself prints as this person's is. One of the usual ones that is not valid is never told.
 *
 * getPhoneNumber: numbers that stand beside this person and nobody else. The company's switchboard is not a person's number, so it is no
 * find.
 */
export class WebContactProvider implements LookupProvider {
  readonly id = 'web';
  readonly services = ['getEmail', 'getPhoneNumber'];

  /** Promise after which the last waiting call may evaluate its site. */
  private lastTurn: Promise<unknown> = Promise.resolve();

  constructor(private readonly parts: WebContactParts) {}

  /** @returns whether a person and a real company are named; names that are reserved for examples are not looked up anywhere */
  acceptsCall({ input }: ProviderCall): boolean {
    return nameIn(input) !== null && companyIn(input as Input) !== null;
  }

  /**
   * @throws ProviderFailure `provider_unavailable` when the name servers or the site, or a likelier site of that name, cannot be reached;
   *   `provider_rejected` for an address that must not be read, or a site that lets no program read it
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
    // A mail service has a name, too; whoever is called as the person may have a mailbox there.
    return address === null || isFreeMail(address) ? null : this.parts.sites.readSite(address, signal);
  }

  /** All who wait for one site hear of it at once. Each judges it in a turn of the event loop of its own, so that others are not kept. */
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
      // Usual addresses are tried where there is a company: a domain without pages may be that of any mail service.
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
      // The server says nothing about any mailbox: the next question would be in vain, too.
      if (state === 'catch_all' || state === 'unknown') break;
    }
    const isDeclined = best !== null && !isAccepted(best, call);
    if (best === null || isDeclined) {
      if (site.failure) pageFailure(this.id)(site.failure);
      // A miss says that somebody has looked.
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
  /** Domain or web address as it was given; null where only the name counts. */
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

/** @returns what can be said of an address; null for one that must not be told */
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

/** @returns null where nothing was charged, or in several units */
function sumOf(costs: readonly Cost[]): Cost | null {
  const [first] = costs;
  if (!first || costs.some(({ unit }) => unit !== first.unit)) return null;
  return { unit: first.unit, amount: costs.reduce((sum, { amount }) => sum + amount, 0) };
}
