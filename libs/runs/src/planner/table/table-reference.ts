import { foldText } from '@quarry/providers';
import type { KnownTable } from '../planner.port.js';

/** A table that the prompt names as its source. */
export type TableReference =
  | { readonly kind: 'known'; readonly table: KnownTable; readonly prompt: string }
  /** Named as a table, but none of that name is known: the fragment is reported. */
  | { readonly kind: 'unknown'; readonly text: string; readonly prompt: string };

const SOURCE = '(?:from|in|using|within|out of|search|query|filter|use|take)';
const LEAD = '(?:from|in|using|within|of|on|filter|search|out of|take|query|through|at|with|use)';
const OWNER = String.raw`(?:(?:my|the|our|this|imported|uploaded)\s+)`;
/** Words that speak of something that is there already, which "the" does not: "the companies that …". */
const POSSESSIVE = String.raw`(?:(?:my|our|imported|uploaded)\s+)`;
const NOUN = String.raw`(?:table|list|sheet|spreadsheet|import|dataset|data set)`;
const QUOTED = String.raw`["“”„«'‘\x60]([^"“”«»\x60\n]{1,120}?)["”“»'’\x60]`;
/** `from my table "X"` and `from the "X" table`. */
const QUOTED_FORMS: readonly RegExp[] = [
  new RegExp(String.raw`\b${LEAD}\s+${OWNER}*${NOUN}\s+(?:called\s+|named\s+)?${QUOTED}`, 'iu'),
  new RegExp(String.raw`\b${LEAD}\s+${OWNER}*${QUOTED}\s+${NOUN}\b`, 'iu'),
  new RegExp(String.raw`\b${NOUN}\s+${QUOTED}`, 'iu'),
];
/** `from "X"`: what is quoted may as well be a word to look for, so it must be the name of a table. */
const QUOTED_SOURCE = new RegExp(String.raw`\b${SOURCE}\s+${OWNER}*${QUOTED}`, 'iu');
const END = String.raw`(?![\p{L}\p{N}])`;

/** Ways to name a table without quotation marks that cannot be meant otherwise, whatever the name. */
const plainForms = (name: string): string[] => [
  String.raw`\b${SOURCE}\s+${OWNER}*${NOUN}\s+${name}${END}`,
  String.raw`\b${SOURCE}\s+${OWNER}*${name}\s+${NOUN}\b`,
  String.raw`\b${SOURCE}\s+(?:the\s+)?${POSSESSIVE}+${name}${END}`,
  String.raw`\b${POSSESSIVE}+${NOUN}\s+${name}${END}`,
  String.raw`\b${POSSESSIVE}+${name}\s+${NOUN}\b`,
];
/** Ways that will do for a name that says nothing else. */
const looseForms = (name: string): string[] => [
  String.raw`\b${SOURCE}\s+${OWNER}+${name}${END}`,
  String.raw`^\s*${SOURCE}\s+${name}${END}`,
  String.raw`\b${OWNER}*${NOUN}\s+${name}${END}`,
  String.raw`\b${OWNER}*${name}\s+${NOUN}\b`,
  String.raw`^\s*${name}\s*:`,
];

/**
 * Finds the table that a prompt names, with or without quotation marks, and takes the reference out of the prompt.
 * A bare name counts only where the prompt speaks of a source. One that has a meaning of its own ("Companies", as
 * runs call their tables, "Germany", "HubSpot") needs the word "table" or "my" beside it: "list companies in Germany"
 * names no table, whatever tables there are.
 * @param hasMeaning whether a prompt of these words alone would be understood
 * @returns null when the prompt names no table
 */
export function tableReference(
  prompt: string,
  tables: readonly KnownTable[],
  hasMeaning: (name: string) => boolean,
): TableReference | null {
  for (const form of [...QUOTED_FORMS, QUOTED_SOURCE]) {
    const match = form.exec(prompt);
    if (!match) continue;
    const table = tables.find(({ name }) => foldText(name) === foldText(match[1] ?? ''));
    const rest = without(prompt, match.index, match[0].length);
    if (table) return { kind: 'known', table, prompt: rest };
    if (form !== QUOTED_SOURCE && /^(from|in|using|within|out of)/i.test(match[0]))
      return { kind: 'unknown', text: match[0], prompt: rest };
  }
  return bareReference(prompt, tables, hasMeaning);
}

function bareReference(
  prompt: string,
  tables: readonly KnownTable[],
  hasMeaning: (name: string) => boolean,
): TableReference | null {
  const byLength = [...tables].sort((a, b) => b.name.length - a.name.length);
  for (const table of byLength) {
    const name = namePattern(table.name);
    if (!new RegExp(name, 'iu').test(prompt)) continue;
    const forms = hasMeaning(table.name) ? plainForms(name) : [...plainForms(name), ...looseForms(name)];
    for (const form of forms) {
      const match = new RegExp(form, 'iu').exec(prompt);
      if (match) return { kind: 'known', table, prompt: without(prompt, match.index, match[0].length) };
    }
  }
  return null;
}

/** A name as people retype it: spaces, hyphens and ampersands are interchangeable. */
function namePattern(name: string): string {
  return name
    .trim()
    .split(/[\s_-]+/)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    .join(String.raw`[\s_-]+`);
}

function without(prompt: string, index: number, length: number): string {
  return `${prompt.slice(0, index)} ${prompt.slice(index + length).replace(/^\s*[:,]/, '')}`.trim();
}
