import { foldWords } from '@quarry/directory';
import type { IntentColumn } from '@quarry/plan';
import { isContent, isKin } from '../words.js';

type ServiceSource = Extract<IntentColumn['source'], { from: 'service' }>;

/**
 * Words that ask for what a service finds, by its name: what costs credits must be said in words that code knows, in any
 * language. A service that is not here is never asked for by a model.
 */
const ASKED_BY: Readonly<Record<string, RegExp>> = {
  webSearch: /\b(?:web ?search\w*|search results?|google)\b/i,
  newsSearch: /\b(?:news|headlines?|press)\b/i,
  scrapeUrl: /\b(?:scrap\w+|(?:web)?(?:page|site) (?:text|content)s?|home ?pages?)\b/i,
  mapWebsite: /\b(?:site ?maps?|pages of (?:the|their|its) (?:web)?site)\b/i,
  extractData: /\bextract\w*\b/i,
  findDomain: /\b(?:domains?|websites?)\b/i,
  domainInfo: /\b(?:domains?|dns|registrars?|whois|mx|spf|dmarc|name ?servers?|mail servers?)\b/i,
  detectTech: /\b(?:tech\w*|stack|cms)\b/i,
  enrichCompany: /\b(?:enrich\w*|firmographics?)\b/i,
  enrichPerson: /\benrich\w*\b/i,
  searchCompanies: /\b(?:competitors?|similar companies|peers)\b/i,
  searchPeople: /\b(?:people|contacts?|decision makers?|who (?:is|are|leads?|runs?))\b/i,
  findLinkedInUrl: /\blinked ?in\b/i,
  getJobPostings: /\b(?:job\w*|open (?:positions?|roles?)|openings?|vacanc\w+)\b/i,
  verifyEmail: /\b(?:verif\w*|valid\w*|deliverab\w*|bounc\w*)\b/i,
  findEmailPattern: /\b(?:e-?mail|address) (?:patterns?|formats?|schemes?)\b/i,
  validatePhone: /\b(?:valid\w*|verif\w*)\b/i,
  classifyText: /\b(?:classif\w*|categor\w*|labels?|labelled|whether)\b/i,
  findSocials:
    /\b(?:socials?|social (?:media|profiles?|accounts?)|twitter|facebook|instagram|youtube|github|tiktok)\b/i,
  webResearch: /\b(?:research\w*|find out|investigat\w*|whether|what|why|who|how)\b/i,
  getLinkedInUserComments: /\bcomment\w*\b/i,
  getLinkedInUserReactions: /\b(?:reaction\w*|likes?|liked|reacted)\b/i,
};

/** Constants that choose how far a service goes, and so what it costs: they are said, or left out. */
const CHOICES = new Set(['deep', 'effort', 'limit', 'render', 'urls', 'schema']);

/** @returns whether words of a prompt ask for what a service finds; null for one that has words of its own elsewhere */
export function asksForService({ service }: ServiceSource, text: string): boolean | null {
  if (service === 'getEmail' || service === 'getPhoneNumber') return null;
  return ASKED_BY[service]?.test(text) ?? false;
}

/**
 * Finds constants of a service that do not follow from the words of the column: a question or a label that the prompt
 * does not have could come from a cell.
 * @param words of the column, where they stand in the prompt
 * @returns one sentence for each fault, each beginning with its place behind the column's
 */
export function constantFaults({ inputs = {} }: ServiceSource, words: readonly string[]): string[] {
  const said = words.flatMap(foldWords);
  return Object.entries(inputs).flatMap(([name, given]) => {
    if (typeof given === 'string') return [];
    const at = `.source.inputs.${name}`;
    if (CHOICES.has(name)) {
      const isSaid =
        textsIn(given.value).some((text) => said.includes(text.toLowerCase())) || said.includes(name);
      return isSaid ? [] : [`${at}: no word asks for it; leave it out`];
    }
    const unsaid = textsIn(given.value).find((text) => !isMostlySaid(text, said));
    return unsaid === undefined
      ? []
      : [`${at}: ${JSON.stringify(unsaid)} is not said by the words of the column`];
  });
}

/** Half of what a text says by itself, keys of columns not counted. */
function isMostlySaid(text: string, said: readonly string[]): boolean {
  const own = foldWords(text.replace(/\{\{[^{}]*\}\}/g, ' ')).filter(isContent);
  const found = own.filter((word) => said.some((each) => isKin(each, word)));
  return 2 * found.length >= own.length;
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(textsIn);
  return [String(value)];
}
