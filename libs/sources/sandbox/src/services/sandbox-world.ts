import { foldText } from '@quarry/vocabulary';
import { linkedInSlug, registrableDomain } from '@quarry/dto';
import { type ProviderCall, isReservedName } from '@quarry/engine';
import { isSandboxSlug } from '../directory/slug.js';
import type { SandboxDirectory } from '../directory/sandbox-directory.provider.js';
import { controlOutcome } from './control-domain.js';

type Input = ProviderCall['input'];
type Directory = Pick<SandboxDirectory, 'personOf' | 'companyOf'>;

/** Services about one person, who is identified by name, profile and company together. */
const PERSON_SERVICES: ReadonlySet<string> = new Set(['getEmail', 'getPhoneNumber', 'enrichPerson']);
const ADDRESS_FIELDS = ['domain', 'email', 'linkedin_url', 'url', 'urls'] as const;
const NAME_FIELDS = ['company', 'name'] as const;
const TEXT_FIELDS = ['question', 'query', 'text', 'prompt'] as const;
/** Number of words of the longest company name, without “&”. */
const NAME_WORDS_MAX = 4;
const HOST = /^(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}$/iu;

/**
 * Returns whether an input is about the sandbox's fictional data and not about real people or companies. That is true for
 * control domains, names reserved for examples and tests, `sandbox-` LinkedIn URLs, the sandbox's companies by name, and
 * people of its directory unless another field of the input contradicts. An input with a public domain or another LinkedIn
 * URL is about real data, whatever else it contains.
 * @param isAlone true when no real provider serves the service: only then does a company name within a text count
 */
export function isOfSandbox(
  { service, input }: Pick<ProviderCall, 'service' | 'input'>,
  directory: Directory,
  isAlone: boolean,
): boolean {
  const words = textsOf(input, TEXT_FIELDS).flatMap((text) => text.split(/\s+/));
  if (controlOutcome([input, words]) !== null) return true;
  if (PERSON_SERVICES.has(service)) return isOwnPerson(input, directory);
  const worlds = [...textsOf(input, ADDRESS_FIELDS), ...words.map(bareAddress)].map(worldOf);
  if (worlds.includes('real')) return false;
  return (
    worlds.includes('sandbox') ||
    textsOf(input, NAME_FIELDS).some((name) => directory.companyOf({ name }) !== null) ||
    (isAlone && textsOf(input, TEXT_FIELDS).some((text) => namesCompany(text, directory)))
  );
}

function isOwnPerson(input: Input, directory: Directory): boolean {
  const { first_name: first, last_name: last, company, domain, linkedin_url: profile } = input;
  if ([domain, company].some((each) => isFilled(each) && isReservedName(each))) return true;
  if (isFilled(domain) && registrableDomain(domain) !== null) return false;
  if (isFilled(profile) && !isSandboxSlug(linkedInSlug('people', profile))) return isReservedName(profile);
  const person = directory.personOf({
    ...(isFilled(profile) ? { linkedin_url: profile } : {}),
    ...(isFilled(first) ? { first_name: first } : {}),
    ...(isFilled(last) ? { last_name: last } : {}),
    ...(isFilled(company) ? { company } : {}),
  });
  // No real person has such a profile.
  if (person === null) return isFilled(profile);
  // A different name or company means a different person.
  return [
    [first, person.first_name],
    [last, person.last_name],
    [company, person.company.name],
  ].every(([given, own]) => !isFilled(given) || foldText(given) === foldText(own as string));
}

/** Returns whether an address is of the sandbox or real; null when the text is not an address. */
function worldOf(text: string): 'sandbox' | 'real' | null {
  const slug = linkedInSlug('people', text) ?? linkedInSlug('companies', text);
  if (slug !== null) return isSandboxSlug(slug) ? 'sandbox' : 'real';
  if (isReservedName(text)) return 'sandbox';
  return registrableDomain(text) === null ? null : 'real';
}

/** Returns the address in a word of a text, without surrounding punctuation; empty when the word is not an address. */
function bareAddress(word: string): string {
  const bare = word.replace(/^[^\p{L}\p{N}]+/u, '').replace(/[^\p{L}\p{N}/]+$/u, '');
  const host = bare.replace(/^https?:\/\//i, '').split(/[/?#:]/)[0]!;
  return HOST.test(host.replace(/^.*@/, '')) ? bare.replace(/['’]s$/, '') : '';
}

/**
 * Returns whether a text names a company of the directory. A one-word name counts only when capitalised, and no name counts
 * when a capitalised word follows it: “Halyard Health” is a different company from “Halyard”.
 */
function namesCompany(text: string, directory: Directory): boolean {
  const matches = [...text.matchAll(/[\p{L}\p{N}'’-]+/gu)];
  const words = matches.map(({ 0: word, index }, i) => {
    const before = matches[i - 1];
    const gap = before ? text.slice(before.index + before[0].length, index) : '';
    return { word: word.replace(/['’]s$/, ''), isJoined: /^\s+(?:&\s+)?$/.test(gap) };
  });
  return words.some((_, from) => {
    for (let count = 1; count <= NAME_WORDS_MAX && from + count <= words.length; count += 1) {
      const part = words.slice(from, from + count);
      if (count > 1 && !part.at(-1)!.isJoined) return false;
      if (count === 1 && !isCapitalised(part[0]!.word)) continue;
      const next = words[from + count];
      if (next?.isJoined && isCapitalised(next.word)) continue;
      if (directory.companyOf({ name: part.map(({ word }) => word).join(' ') }) !== null) return true;
    }
    return false;
  });
}

function isCapitalised(word: string): boolean {
  return /^\p{Lu}/u.test(word);
}

function textsOf(input: Input, fields: readonly string[]): string[] {
  return fields.flatMap((field) => [input[field]].flat()).filter(isFilled);
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
