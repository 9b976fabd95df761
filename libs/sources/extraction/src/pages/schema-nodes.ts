import type { StructuredData } from '@quarry/engine';

/** Node that a page describes in JSON-LD or microdata. */
export type SchemaNode = Readonly<Record<string, unknown>>;

const DEPTH_MAX = 6;
/** Maximum number of nodes per page. Pages with more have endless lists. */
const NODES_MAX = 500;

/** @returns all nodes of a page, including nested ones, outermost first */
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

/** @returns whether a node has one of the given types, such as `Organization` */
export function isA(node: SchemaNode, types: RegExp): boolean {
  return valuesIn(node['@type']).some(
    (type) => typeof type === 'string' && types.test(type.split(/[/#:]/).at(-1)!),
  );
}

/** @returns the text of a property: a string, a number, the name of a node, or the first of several; null for none */
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

/** @returns the node in a property, or the first of several; null for none */
export function nodeAt(node: SchemaNode | null | undefined, key: string): SchemaNode | null {
  const [first] = valuesIn(node?.[key]).filter((each) => typeof each === 'object' && each !== null);
  return (first as SchemaNode | undefined) ?? null;
}

/** @returns a value as a list: a value that is not a list becomes its only item, and no value an empty list */
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

/** Unescapes HTML entities: a script element needs none, but many systems escape its text anyway. */
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
