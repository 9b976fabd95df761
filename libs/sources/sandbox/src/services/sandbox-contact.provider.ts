import { linkedInSlug } from '@quarry/dto';
import { ProviderFailure, type ProviderAnswer, type ProviderCall, type LookupProvider } from '@quarry/engine';
import type { SandboxDirectory } from '../directory/sandbox-directory.provider.js';
import { SLUG_PREFIX } from '../directory/slug.js';
import { fingerprintOf } from './fingerprint.js';
import { SandboxControls } from './sandbox-controls.js';

const PROVIDER = 'sandbox';
// Percentage of people of the directory without a known address, so that tables have realistic gaps.
const UNKNOWN_PERCENT = 6;

interface Person {
  first: string;
  last: string;
  domain: string;
}

/**
 * Answers contact lookups with fiction: addresses below `.example` and `.test`, and phone numbers from ranges reserved for
 * fiction. The same input always gets the same result. Control domains decide the outcome.
 */
export class SandboxContactProvider implements LookupProvider {
  readonly id = PROVIDER;
  readonly services = ['getEmail', 'getPhoneNumber'] as const;

  private readonly controls = new SandboxControls();

  constructor(private readonly directory: SandboxDirectory) {}

  async answerCall(call: ProviderCall): Promise<ProviderAnswer> {
    const control = await this.controls.obeyControl(call.input, call);
    const wantsDeep = call.input.deep === true;
    if (control?.kind === 'deep-fail' && wantsDeep) {
      throw new ProviderFailure('provider_error', 'The provider failed after its Deep agent had finished.', {
        provider: PROVIDER,
        deepFinished: true,
      });
    }
    const missed = control?.kind === 'miss' || control?.kind === 'deep-miss' || control?.kind === 'deep-fail';
    const person = this.identifyPerson(call.input);
    const known = !missed && (control !== null || !this.isUnknown(person));
    // The Deep agent starts when the plain search finds nothing; it finds the people whom the plain search does not know.
    const deep = wantsDeep && !known;
    const found = known || (deep && !missed);
    return {
      found,
      deep,
      provider: PROVIDER,
      output: call.service === 'getEmail' ? emailOf(found ? person : null) : phonesOf(found ? person : null),
    };
  }

  private identifyPerson(input: Readonly<Record<string, unknown>>): Person {
    const entry = this.directory.personOf(input);
    if (entry?.company.domain)
      return { first: entry.first_name, last: entry.last_name, domain: entry.company.domain };
    const profile = linkedInSlug('people', textOf(input.linkedin_url))?.replace(SLUG_PREFIX, '');
    const slug = profile?.split('-') ?? [];
    const first = textOf(input.first_name) || (slug[0] ?? 'someone');
    const last = textOf(input.last_name) || (slug[1] ?? 'unknown');
    return { first, last, domain: sandboxDomain(textOf(input.domain) || textOf(input.company) || 'company') };
  }

  private isUnknown(person: Person): boolean {
    return (
      person.domain.endsWith('.example') &&
      fingerprintOf(`${person.first}|${person.last}|${person.domain}`) % 100 < UNKNOWN_PERCENT
    );
  }
}

function emailOf(person: Person | null): Record<string, unknown> {
  const empty = { found: false, email: null, status: null, confidence: null, provider: PROVIDER };
  if (!person) return empty;
  const address = `${mailboxOf(person.first)}.${mailboxOf(person.last)}@${person.domain}`;
  return { ...empty, found: true, email: address, status: 'verified', confidence: 'high' };
}

function phonesOf(person: Person | null): Record<string, unknown> {
  if (!person) return { found: false, phone_number: null, phones: [], provider: PROVIDER };
  // 555-0100 to 555-0199 is reserved for fiction in the North American Numbering Plan.
  const seed = fingerprintOf(`${person.first}|${person.last}`);
  const number = `+1${['212', '312', '415', '617', '702'][seed % 5]}55501${String(seed % 100).padStart(2, '0')}`;
  const entry = { number, country: 'US', line_type: 'mobile', line_status: 'active', source: PROVIDER };
  return { found: true, phone_number: number, phones: [entry], provider: PROVIDER };
}

/** Returns the company's name below a domain reserved for examples: an invented mailbox must never be at a real domain. */
function sandboxDomain(company: string): string {
  const host = company
    .toLowerCase()
    .replace(/^[a-z]+:\/\//, '')
    .split(/[/?#:]/)[0]!
    .replace(/^www\./, '');
  if (/\.(example|test)$/.test(host) && /^[a-z0-9.-]+$/.test(host)) return host;
  const label = host
    .replace(/\.[a-z.]{2,10}$/, '')
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return `${label || 'company'}.example`;
}

function mailboxOf(name: string): string {
  return (
    name
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '') || 'x'
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}
