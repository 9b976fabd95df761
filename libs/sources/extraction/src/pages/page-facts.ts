import type { StructuredData } from '@quarry/engine';
import { isA, valuesIn, schemaNodesOf, type SchemaNode } from './schema-nodes.js';
import { folded } from './field-names.js';

/** Value in the structured data of a page. */
export interface Fact {
  /** Folded name of its property. */
  key: string;
  value: string | number | boolean;
  /** Location of the fact, such as `JSON-LD Organization.telephone`, `meta og:title` or `table Founded`. */
  place: string;
  page: StructuredData;
}

/** Node described in structured data, with its facts. */
export interface DescribedNode {
  node: SchemaNode;
  facts: Fact[];
  page: StructuredData;
  /** Properties whose values are nodes or lists of nodes, by folded name. */
  parts: ReadonlyMap<string, DescribedNode[]>;
}

export interface PageFacts {
  nodes: DescribedNode[];
  /** Facts outside nodes: from two-column tables, `meta`, `title`, and mail and telephone links. */
  facts: Fact[];
}

const DEPTH_MAX = 4;
// No real page has more; the limits keep a malicious page from using the process's CPU time.
const VALUES_MAX = 100;
const NAMES_MAX = 200;
const FACTS_MAX = 300;
/** Maximum number of nested nodes per page. */
const PARTS_MAX = 500;
const PAGE_FACTS_MAX = 5_000;
/**
 * Properties that are not copied from a nested node to its parent: the name of an address is not the name of the company.
 */
const OF_ITSELF = new Set(['name', 'url', 'description', 'image', 'title', 'headline', 'identifier', 'logo']);
/** Types that describe the structure of a page, and not its subject. */
const FRAME =
  /^(WebSite|WebPage|CollectionPage|AboutPage|ContactPage|BreadcrumbList|SearchAction|ImageObject|SiteNavigationElement|WPHeader|WPFooter|ListItem|ItemList|ReadAction|EntryPoint|PropertyValueSpecification)$/;
const ORGANISATION = /^(Organization|Corporation|LocalBusiness)$/;

/** @returns the facts of a page: first about its subject, then its publisher, then the page itself */
export function factsOf(page: StructuredData): PageFacts {
  const isLd = new Set(schemaNodesOf({ structured: page.structured, microdata: [] }));
  const left = { parts: PARTS_MAX };
  const nodes = schemaNodesOf(page).map((node) =>
    describeNode(node, { page, form: isLd.has(node) ? 'JSON-LD' : 'microdata', left }, 0),
  );
  const rank = ({ node }: DescribedNode): number =>
    isA(node, FRAME) ? 2 : isA(node, ORGANISATION) || node['@type'] === undefined ? 1 : 0;
  let factsLeft = PAGE_FACTS_MAX;
  const bounded = nodes
    .sort((a, b) => rank(a) - rank(b))
    .map((each) => {
      const facts = each.facts.slice(0, factsLeft);
      factsLeft -= facts.length;
      return { ...each, facts };
    });
  return { nodes: bounded, facts: frameFacts(page) };
}

interface Place {
  page: StructuredData;
  form: string;
  /** Number of nested nodes that may still be described. */
  left: { parts: number };
}

function describeNode(node: SchemaNode, at: Place, depth: number): DescribedNode {
  const { page, form, left } = at;
  const facts: Fact[] = [];
  const parts = new Map<string, DescribedNode[]>();
  const type = valuesIn(node['@type']).map(String)[0]?.split(/[/#]/).at(-1) ?? 'thing';
  const entries = Object.entries(node).filter(([name]) => !name.startsWith('@'));
  for (const [name, content] of entries.slice(0, NAMES_MAX)) {
    const key = folded(name);
    const place = `${form} ${type}.${name}`;
    for (const value of valuesIn(content).slice(0, VALUES_MAX)) {
      if (facts.length >= FACTS_MAX && depth > 0) break;
      const plain = plainOf(value);
      if (plain !== null) facts.push({ key, value: plain, place, page });
      if (typeof value !== 'object' || value === null || Array.isArray(value) || depth >= DEPTH_MAX) continue;
      if (left.parts <= 0) continue;
      left.parts -= 1;
      const part = describeNode(value as SchemaNode, at, depth + 1);
      parts.set(key, [...(parts.get(key) ?? []), part]);
      // Facts of a nested node, such as a price or a city, are also facts of its parent. Nodes of these types have facts of their
      // own.
      if (!isA(part.node, /^(Product|Person|JobPosting|Review|Event)$/) || depth > 0)
        facts.push(...part.facts.filter((fact) => !OF_ITSELF.has(fact.key)));
    }
  }
  return { node, facts: facts.slice(0, FACTS_MAX), page, parts };
}

/** Returns a plain value; for a node, its name or its value. */
function plainOf(value: unknown): string | number | boolean | null {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const { name, value: inner, '@value': typed, '@id': id } = value as SchemaNode;
    return plainOf(
      [name, inner, typed, Object.keys(value).length === 1 ? id : null].find(
        (each) => typeof each === 'string' || typeof each === 'number',
      ),
    );
  }
  if (typeof value === 'string') return value.replace(/\s+/g, ' ').trim() || null;
  return typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

function frameFacts(page: StructuredData): Fact[] {
  const metadata = Object.entries(page.metadata).map(([name, value]) => ({
    // og:title, article:published_time, product:price:amount
    key: folded(
      name.replace(/^(og|twitter|article|product|book|profile|dc|dcterms)[:.]/, '').replace(/_time$/, ''),
    ),
    value,
    place: `meta ${name}`,
  }));
  const contacts = page.contacts.flatMap(({ kind, value }) =>
    kind === 'profile'
      ? []
      : [{ key: kind === 'email' ? 'email' : 'telephone', value, place: `link ${kind}` }],
  );
  const own = [
    { key: 'title', value: page.title, place: 'title' },
    { key: 'language', value: page.language, place: 'html lang' },
  ].flatMap(({ value, ...rest }) => (value === null ? [] : [{ ...rest, value }]));
  const pairs = page.pairs.map(({ name, value }) => ({
    key: folded(name),
    value,
    place: `table ${name.replace(/[\s:]+/g, ' ').trim()}`,
  }));
  return [...pairs, ...metadata, ...own, ...contacts].map((fact) => ({ ...fact, page }));
}
