import { foldText } from '@quarry/vocabulary';
import { linkedInSlug, registrableDomain } from '@quarry/dto';
import { type ProviderCall, isReservedName } from '@quarry/engine';
import { isSandboxSlug } from '../directory/slug.js';
import type { SandboxDirectory } from '../directory/sandbox-directory.provider.js';
import { controlOutcome } from './control-domain.js';

type Input = ProviderCall['input'];
type Directory = Pick<SandboxDirectory, 'personOf' | 'companyOf'>;

/** Services about one person, whom names, a profile and a company identify together. */
const PERSON_SERVICES: ReadonlySet<string> = new Set(['getEmail', 'getPhoneNumber', 'enrichPerson']);
const ADDRESS_FIELDS = ['domain', 'email', 'linkedin_url', 'url', 'urls'] as const;
const NAME_FIELDS = ['company', 'name'] as const;
const TEXT_FIELDS = ['question', 'query', 'text', 'prompt'] as const;
/** Words of the longest company name, “&” not counted. */
const NAME_WORDS_MAX = 4;
const HOST = /^(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}$/iu;

/**
 * Tells the sandbox's own world from the real one. To it belong control domains, names that are reserved for examples and tests,
 * `sandbox-` addresses of LinkedIn, its companies by name, and people of its directory where nothing that is given says otherwise.
 * An input that names a public domain or another LinkedIn address is about the real world, whatever else it names.
 * @param isAlone nobody real answers the service: only then is a company's name in a text taken for that of the sandbox's company
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
  // Nobody real has such a profile.
  if (person === null) return isFilled(profile);
  // Names and a company that are another's tell the two apart.
  return [
    [first, person.first_name],
    [last, person.last_name],
    [company, person.company.name],
  ].every(([given, own]) => !isFilled(given) || foldText(given) === foldText(own as string));
}

/** Returns the world that an address belongs to; null when the text is none. */
function worldOf(text: string): 'sandbox' | 'real' | null {
  const slug = linkedInSlug('people', text) ?? linkedInSlug('companies', text);
  if (slug !== null) return isSandboxSlug(slug) ? 'sandbox' : 'real';
  if (isReservedName(text)) return 'sandbox';
  return registrableDomain(text) === null ? null : 'real';
}

/** Returns the address that a word of a text is, without the punctuation around it; empty when it is none. */
function bareAddress(word: string): string {
  const bare = word.replace(/^[^\p{L}\p{N}]+/u, '').replace(/[^\p{L}\p{N}/]+$/u, '');
  const host = bare.replace(/^https?:\/\//i, '').split(/[/?#:]/)[0]!;
  return HOST.test(host.replace(/^.*@/, '')) ? bare.replace(/['’]s$/, '') : '';
}

/**
 * Tells whether a text names a company of the directory. A name of one word counts with a capital letter only, and none counts that
 * a capitalised word goes on from: “Halyard Health” is another company than “Halyard”.
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
