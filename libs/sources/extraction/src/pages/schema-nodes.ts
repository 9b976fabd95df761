import type { StructuredData } from '@quarry/engine';

/** Something that a page describes in JSON-LD or microdata. */
export type SchemaNode = Readonly<Record<string, unknown>>;

const DEPTH_MAX = 6;
/** Of one page. Those that describe more list nodes without end. */
const NODES_MAX = 500;

/** @returns what a page describes, and what that consists of, outermost first */
export function schemaNodesOf({
  structured,
  microdata,
}: Pick<StructuredData, 'structured' | 'microdata'>): SchemaNode[] {
  const nodes: SchemaNode[] = [];
  const add = (value: unknown, depth: number): void => {
    if (depth > DEPTH_MAX || nodes.length >= NODES_MAX || typeof value !== 'object' || value === null) return;
    if (!Array.isArray(value)) nodes.push(value as SchemaNode);
    for (const each of Object.values(value)) add(each, depth + 1);
  };
  for (const each of [...structured, ...microdata]) add(each, 0);
  return nodes;
}

/** @returns whether a node is of one of some types, such as `Organization` */
export function isA(node: SchemaNode, types: RegExp): boolean {
  return valuesIn(node['@type']).some(
    (type) => typeof type === 'string' && types.test(type.split(/[/#:]/).at(-1)!),
  );
}

/** @returns the words of a property: a text, a number, the name of a node, or the first of several; null for none */
export function wordsAt(node: SchemaNode | null | undefined, key: string): string | null {
  for (const value of valuesIn(node?.[key])) {
    const text =
      typeof value === 'object' && value !== null
        ? plainText((value as SchemaNode).name ?? (value as SchemaNode)['@value'])
        : plainText(value);
    if (text !== null) return text;
  }
  return null;
}

/** @returns the node that a property holds, or the first of several; null for none */
export function nodeAt(node: SchemaNode | null | undefined, key: string): SchemaNode | null {
  const [first] = valuesIn(node?.[key]).filter((each) => typeof each === 'object' && each !== null);
  return (first as SchemaNode | undefined) ?? null;
}

/** @returns a value as a list: what is none is the only item, and nothing has no item */
export function valuesIn(value: unknown): unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? (value as unknown[]) : [value];
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
};

/** Data in a script are text, and systems escape them all the same. */
function unescapeText(text: string): string {
  return text.replace(/&(#\d{1,6}|#x[0-9a-f]{1,5}|[a-z]{2,5});/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()] ?? whole;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 31 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

function plainText(value: unknown): string | null {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  const text = typeof value === 'string' ? unescapeText(value).replace(/\s+/g, ' ').trim() : '';
  return text === '' ? null : text;
}
