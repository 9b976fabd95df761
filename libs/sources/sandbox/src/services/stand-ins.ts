import { domainToUnicode } from 'node:url';
import { linkedInAddress, linkedInSlug, registrableDomain } from '@quarry/dto';
import { isReservedName } from '@quarry/engine';
import { controlOutcome } from './control-domain.js';
import { fingerprintOf } from './fingerprint.js';
import type { SandboxDirectory } from '../directory/sandbox-directory.provider.js';
import { isSandboxSlug, SLUG_PREFIX, slugOf } from '../directory/slug.js';
import type { WholeCompany, WholePerson } from '../directory/whole-record.js';

/**
 * Returns the company at a domain: a company of the directory or, for another name reserved for examples and tests
 * (including control domains), one derived from a company of the directory. The result is always the same.
 * @returns null for a real domain
 */
export function companyAt(domain: string, directory: SandboxDirectory): WholeCompany | null {
  const known = directory.companyOf({ domain });
  if (known) return known;
  const name = isReservedName(domain) ? registrableDomain(domain) : null;
  if (name === null) return null;
  const label = domainToUnicode(name.split('.')[0]!);
  return namedLike(templateOf(directory.companies(), name), capitalise(label), name);
}

/**
 * Returns the person that an input names: a person of the directory or, at a reserved domain or with a `sandbox-` profile,
 * one derived from a person of the directory. The result is always the same.
 * @returns null for a real person, and when the input names nobody
 */
export function personNamed(
  input: Readonly<Partial<Record<'linkedin_url' | 'first_name' | 'last_name' | 'domain', string>>>,
  directory: SandboxDirectory,
): WholePerson | null {
  const known = directory.personOf(input);
  if (known) return known;
  const { first_name: first, last_name: last, domain, linkedin_url: profile } = input;
  const company = domain === undefined ? null : companyAt(domain, directory);
  const slug = profile === undefined ? null : linkedInSlug('people', profile);
  // A company alone does not identify a person, except that a control domain always finds one.
  const isNamed = (first ?? last) !== undefined || controlOutcome(domain) !== null;
  if (slug === null ? company === null || !isNamed : !isSandboxSlug(slug)) return null;
  const [givenName = 'Someone', ...familyName] = (slug ?? '').replace(SLUG_PREFIX, '').split('-');
  const firstName = first ?? capitalise(givenName);
  const lastName = last ?? (familyName.map(capitalise).join(' ') || 'Unknown');
  const own = slug ?? `${SLUG_PREFIX}${slugOf(`${firstName} ${lastName}`)}`;
  const template = templateOf(directory.people(), `${own} ${domain ?? ''}`);
  return {
    ...template,
    id: `pe_${own}`,
    first_name: firstName,
    last_name: lastName,
    full_name: `${firstName} ${lastName}`,
    linkedin_url: linkedInAddress('people', own),
    company: company ?? template.company,
  };
}

function namedLike(template: WholeCompany, name: string, domain: string): WholeCompany {
  return {
    ...template,
    id: `co_${domain}`,
    name,
    domain,
    website: `https://www.${domain}`,
    linkedin_url: linkedInAddress('companies', `${SLUG_PREFIX}${slugOf(name)}`),
    description: template.description.replace(template.name, name),
  };
}

function templateOf<T>(records: readonly T[], key: string): T {
  return records[fingerprintOf(key) % records.length]!;
}

function capitalise(label: string): string {
  return label.charAt(0).toUpperCase() + label.slice(1);
}
