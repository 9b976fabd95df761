import type { KnownTable } from '@quarry/plan';
import { foldText } from '@quarry/vocabulary';

/** Reference of a prompt to a table. */
export type TableReference =
  | { readonly kind: 'known'; readonly table: KnownTable; readonly prompt: string }
  /** Named as the source, but no table with that name exists: the fragment is reported. */
  | { readonly kind: 'unknown'; readonly text: string; readonly prompt: string }
  /** Exclusion of a table's rows, which no search supports: the fragment is reported. */
  | { readonly kind: 'excluded'; readonly text: string; readonly prompt: string };

const SOURCE = '(?:from|in|using|within|out of|search|query|filter|use|take)';
const LEAD = '(?:from|in|using|within|of|on|filter|search|out of|take|query|through|at|with|use)';
const OWNER = String.raw`(?:(?:my|the|our|this|imported|uploaded)\s+)`;
/** Words that refer to something existing, unlike "the": "the companies that …". */
const POSSESSIVE = String.raw`(?:(?:my|our|imported|uploaded)\s+)`;
/** Nouns for tables. "List" is not among them, since it is also a verb: "list Apple employees". */
const SURE_NOUN = '(?:table|sheet|spreadsheet|import|dataset|data set)';
const NOUN = '(?:table|list|sheet|spreadsheet|import|dataset|data set)';
const QUOTED = String.raw`(?:["“”„]([^"“”„\n]{1,120})["“”]|«([^«»\n]{1,120})»|\x60([^\x60\n]{1,120})\x60|‘([^‘’\n]{1,120})’|(?<![\p{L}\p{N}])'([^\n]{1,120}?)'(?![\p{L}\p{N}]))`;
/** Forms in which the quoted text is the name of a table, known or not: `from my table "X"`, `from the "X" table`. */
const QUOTED_FORMS: readonly RegExp[] = [
  new RegExp(String.raw`\b${LEAD}\s+${OWNER}*${NOUN}s?\s+(?:called\s+|named\s+)?${QUOTED}`, 'giu'),
  new RegExp(String.raw`\b(?:${LEAD}\s+${OWNER}*|${OWNER}+)${QUOTED}\s+${NOUN}\b`, 'giu'),
  new RegExp(String.raw`\b${NOUN}\s+${QUOTED}`, 'giu'),
];
/** Form in which the quoted text may as well be a search term, so it must be the name of a table: `from "X"`. */
const QUOTED_SOURCES: readonly RegExp[] = [
  new RegExp(String.raw`\b(?:from|in|within|out of|search|query|filter|take)\s+${OWNER}*${QUOTED}`, 'giu'),
  new RegExp(String.raw`^\s*(?:use|using)\s+${OWNER}*${QUOTED}`, 'giu'),
];
const END = String.raw`(?![\p{L}\p{N}])`;
/** Form with an unknown name: `From my table Leads: …`. */
const UNKNOWN_BARE = new RegExp(
  String.raw`^\s*(?:from|in|using|within|search|query|filter|use)\s+${OWNER}*${SURE_NOUN}\s+[^:,"'“”\n]{1,80}(?=:)`,
  'iu',
);

/** Returns unambiguous forms without quotation marks, for any name. */
const plainForms = (name: string): string[] => [
  String.raw`\b${SOURCE}\s+${OWNER}*${NOUN}\s+${name}${END}`,
  String.raw`\b${SOURCE}\s+${OWNER}*${name}\s+${NOUN}\b`,
  String.raw`\b${SOURCE}\s+(?:the\s+)?${POSSESSIVE}+${name}${END}`,
  String.raw`\b${POSSESSIVE}+${NOUN}\s+${name}${END}`,
  String.raw`\b${POSSESSIVE}+${name}\s+${NOUN}\b`,
  String.raw`^\s*${SURE_NOUN}\s+${name}\s*(?=[:,])`,
  String.raw`^\s*${name}\s+${SURE_NOUN}\s*(?=[:,])`,
  String.raw`^\s*(?:(?:show|list|give|find|get)\s+(?:me\s+)?)?${POSSESSIVE}+${name}${END}`,
];
/** Returns forms that are sufficient for a name without another meaning. */
const looseForms = (name: string): string[] => [
  String.raw`\b${SOURCE}\s+${OWNER}+${name}${END}`,
  String.raw`^\s*${SOURCE}\s+${name}${END}`,
  String.raw`\b${SURE_NOUN}\s+${name}${END}`,
  String.raw`\b${OWNER}+${NOUN}\s+${name}${END}`,
  String.raw`\b${OWNER}*${name}\s+${NOUN}\b`,
  String.raw`^\s*${name}\s*:`,
];

/** Words directly before a table whose rows are to be excluded: "Not in my table …". */
const LEFT_OUT =
  /\b(?:not|never|excluding|exclude|except(?:\s+for)?|without|other than|minus|isn't|aren't|[a-z]+n’t)\b[^.,;:\n]{0,60}$/iu;
/** Forms in which the table is the destination of the result: "Save them in a table …", "call the table …". */
const DESTINATION =
  /(?:\b(?:save|store|put|write|export|copy|append|add)\b[^.;:\n]{0,60}|\b(?:call|name|title|create|build|make|start|a|an|new)\s+(?:(?:it|the|this|that|a|an|new)\s+)*)$/iu;
const READS = /^(?:from|using|within|out of|search|query|filter|use|take|through)\b/iu;

interface Mention {
  readonly index: number;
  readonly text: string;
  readonly table: KnownTable | null;
}

/**
 * Finds the table that a prompt names, with or without quotation marks, and removes the reference from the prompt. A bare
 * name counts only if the prompt mentions a source. A name with another meaning ("Companies", as runs name their tables,
 * "Germany", "HubSpot") needs the word "table" or "my" next to it: "list companies in Germany" names no table, whatever
 * tables exist.
 * @param hasMeaning returns whether a prompt that consists of these words would be understood
 * @returns null when the prompt names no table, or only one as the destination of the result
 */
export function tableReference(
  prompt: string,
  tables: readonly KnownTable[],
  hasMeaning: (name: string) => boolean,
): TableReference | null {
  const mention =
    quotedMention(prompt, tables) ?? bareMention(prompt, tables, hasMeaning) ?? unknownMention(prompt);
  if (!mention) return null;
  const { index, text, table } = mention;
  const before = prompt.slice(0, index);
  const leftOut = LEFT_OUT.exec(before);
  if (leftOut) {
    const fragment = prompt.slice(leftOut.index, index + text.length);
    return { kind: 'excluded', text: fragment, prompt: withoutPart(prompt, leftOut.index, fragment.length) };
  }
  if (!READS.test(text) && DESTINATION.test(before)) return null;
  const rest = withoutPart(prompt, index, text.length);
  return table ? { kind: 'known', table, prompt: rest } : { kind: 'unknown', text, prompt: rest };
}

function quotedMention(prompt: string, tables: readonly KnownTable[]): Mention | null {
  const mentionIn = (match: RegExpExecArray): Mention => {
    const name = foldText(match.slice(1).find((group) => group !== undefined) ?? '');
    const table = tables.find((known) => foldText(known.name) === name) ?? null;
    return { index: match.index, text: match[0], table };
  };
  const mentions = (forms: readonly RegExp[]): Mention[] =>
    forms.flatMap((form) => [...prompt.matchAll(form)].map(mentionIn));
  const sure = mentions(QUOTED_FORMS);
  const known = [...sure, ...mentions(QUOTED_SOURCES)].find(({ table }) => table !== null);
  return known ?? sure.find(({ text }) => READS.test(text) || /^in\b/iu.test(text)) ?? null;
}

function bareMention(
  prompt: string,
  tables: readonly KnownTable[],
  hasMeaning: (name: string) => boolean,
): Mention | null {
  const byLength = [...tables].sort((a, b) => b.name.length - a.name.length);
  for (const table of byLength) {
    const name = namePattern(table.name);
    if (!new RegExp(name, 'iu').test(prompt)) continue;
    const forms = hasMeaning(table.name) ? plainForms(name) : [...plainForms(name), ...looseForms(name)];
    for (const form of forms) {
      const match = new RegExp(form, 'iu').exec(prompt);
      if (match) return { index: match.index, text: match[0], table };
    }
  }
  return null;
}

function unknownMention(prompt: string): Mention | null {
  const match = UNKNOWN_BARE.exec(prompt);
  return match && { index: match.index, text: match[0].trim(), table: null };
}

/** Returns the pattern of a name, in which spaces, hyphens and underscores are interchangeable. */
function namePattern(name: string): string {
  return name
    .trim()
    .split(/[\s_-]+/)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    .join(String.raw`[\s_-]+`);
}

function withoutPart(prompt: string, index: number, length: number): string {
  return `${prompt.slice(0, index)} ${prompt.slice(index + length).replace(/^\s*[:,]/, '')}`.trim();
}
