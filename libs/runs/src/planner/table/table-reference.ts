import { foldText } from '@quarry/providers';
import type { KnownTable } from '../planner.port.js';

/** A table that the prompt names as its source. */
export type TableReference =
  | { readonly kind: 'known'; readonly table: KnownTable; readonly prompt: string }
  /** Named as a table, but none of that name is known: the fragment is reported. */
  | { readonly kind: 'unknown'; readonly text: string; readonly prompt: string };

const LEAD = String.raw`(?:from|in|using|within|of|on|filter|search|out of|take|query|through|at|with|use)`;
const OWNER = String.raw`(?:(?:my|the|our|this|imported|uploaded)\s+)*`;
const NOUN = String.raw`(?:table|list|sheet|spreadsheet|import|dataset|data set)`;
const QUOTED = String.raw`["“”„«'‘\x60]([^"“”«»\x60\n]{1,120}?)["”“»'’\x60]`;
/** `from my table "X"` and `from the "X" table`. */
const QUOTED_FORMS = [
  new RegExp(String.raw`\b${LEAD}\s+${OWNER}${NOUN}\s+(?:called\s+|named\s+)?${QUOTED}`, 'iu'),
  new RegExp(String.raw`\b${LEAD}\s+${OWNER}${QUOTED}\s+${NOUN}\b`, 'iu'),
  new RegExp(String.raw`\b${NOUN}\s+${QUOTED}`, 'iu'),
];

/**
 * Finds the table that a prompt names, with or without quotation marks, and takes the reference out of the prompt.
 * A bare name counts only next to the word "table" or where it opens the prompt, and only if it is a known one.
 * @returns null when the prompt names no table
 */
export function tableReference(prompt: string, tables: readonly KnownTable[]): TableReference | null {
  for (const form of QUOTED_FORMS) {
    const match = form.exec(prompt);
    if (!match) continue;
    const table = tables.find(({ name }) => foldText(name) === foldText(match[1] ?? ''));
    const rest = without(prompt, match.index, match[0].length);
    if (table) return { kind: 'known', table, prompt: rest };
    if (/^(from|in|using|within|out of)/i.test(match[0]))
      return { kind: 'unknown', text: match[0], prompt: rest };
  }
  return bareReference(prompt, tables);
}

function bareReference(prompt: string, tables: readonly KnownTable[]): TableReference | null {
  const byLength = [...tables].sort((a, b) => b.name.length - a.name.length);
  for (const table of byLength) {
    const name = namePattern(table.name);
    const forms = [
      String.raw`\b${LEAD}\s+${OWNER}(?:${NOUN}\s+)?["“”'‘]?${name}["“”'’]?(?:\s+${NOUN})?(?![\p{L}\p{N}])`,
      String.raw`(?:\b${OWNER}${NOUN}\s+)${name}(?![\p{L}\p{N}])`,
      String.raw`${name}\s+${NOUN}\b`,
      String.raw`^\s*${name}\s*:`,
    ];
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
