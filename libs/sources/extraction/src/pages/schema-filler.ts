import { isA } from './schema-nodes.js';
import { propertiesFor, thingAndProperty, typesFor, folded, nameWordsOf } from './field-names.js';
import type { DescribedNode, Fact, PageFacts } from './page-facts.js';
import { typedValue, typesOf, type FieldSchema } from './typed-value.js';

/** Reason for the value of a leaf. Source: docs/contract.md#6-go, `basis`. */
export interface Basis {
  /** JSON pointer. */
  field: string;
  value: unknown;
  reasoning: string;
  confidence: 'high' | 'medium' | 'low' | null;
  citations: Array<{ url: string; title: string | null; excerpt: string | null; retrieved_at: string }>;
}

export interface Filled {
  data: unknown;
  basis: Basis[];
}

/** Field and the facts that support its value. */
export interface FilledField {
  /** JSON pointer. */
  field: string;
  value: unknown;
  reasoning: string;
  confidence: Basis['confidence'];
  /** Facts with exactly this value, the strongest first; empty when there are none. */
  facts: readonly Fact[];
  /** True when other facts have a different value. */
  isDisputed: boolean;
}

/** Sources from which a field may take its value. */
interface Scope {
  nodes: readonly DescribedNode[];
  /** Facts of the pages themselves; empty within a node. */
  facts: readonly Fact[];
}

const DEPTH_MAX = 8;
const ITEMS_MAX = 100;
const LEAVES_MAX = 500;
const EXCERPT_MAX = 160;
/** Number of characters of a page that are searched: it is searched for hundreds of values, one after the other. */
const SEARCHED_CHARACTERS_MAX = 64_000;

/** Fills a schema from the structured data of pages: names must match and types must agree; nothing is guessed. */
export class SchemaFiller {
  private readonly basis: FilledField[] = [];

  /** @param retrievedAt ISO 8601 */
  constructor(private readonly retrievedAt: string) {}

  /** @param pages by priority, highest first */
  fillSchema(schema: FieldSchema, pages: readonly PageFacts[]): Filled {
    const { data, filled } = this.readFields(schema, pages);
    const basis = filled.map(({ field, value, reasoning, confidence, facts }) => ({
      field,
      value,
      reasoning,
      confidence,
      citations: facts.slice(0, 1).map((fact) => citationOf(fact, this.retrievedAt)),
    }));
    return { data, basis };
  }

  /** Like {@link fillSchema}, and also returns the facts. */
  readFields(schema: FieldSchema, pages: readonly PageFacts[]): { data: unknown; filled: FilledField[] } {
    const scope = { nodes: pages.flatMap(({ nodes }) => nodes), facts: pages.flatMap(({ facts }) => facts) };
    return { data: this.fillObject(schema, '', scope, 1), filled: this.basis };
  }

  private fillObject(
    schema: FieldSchema,
    pointer: string,
    scope: Scope,
    depth: number,
  ): Record<string, unknown> {
    const fields = Object.entries(schema.properties ?? {});
    return Object.fromEntries(
      fields.map(([name, field]) => {
        const at = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        return [name, this.fillField(name, field, at, scope, depth)];
      }),
    );
  }

  private fillField(
    name: string,
    schema: FieldSchema,
    pointer: string,
    scope: Scope,
    depth: number,
  ): unknown {
    const types = typesOf(schema);
    if (depth >= DEPTH_MAX || this.basis.length >= LEAVES_MAX) return this.leaveEmpty(pointer);
    if ('const' in schema)
      return this.noteField(pointer, schema.const, 'The schema itself says so.', 'high', []);
    if (types.includes('object')) {
      const part = partsNamed(name, scope);
      return this.fillObject(schema, pointer, { nodes: part.slice(0, 1), facts: [] }, depth + 1);
    }
    if (types.includes('array')) return this.fillList(name, schema, pointer, scope, depth);
    const [first, ...others] = this.findCandidates(name, schema, scope);
    if (!first) return this.leaveEmpty(pointer);
    const isAlone = others.every(({ value }) => value === first.value);
    const confidence = !isAlone ? 'low' : first.isOwnName ? 'high' : 'medium';
    const rest = isAlone ? '' : ' Other places say something else.';
    const same = [first, ...others].filter(({ value }) => value === first.value).map(({ fact }) => fact);
    return this.noteField(
      pointer,
      first.value,
      `${first.fact.place} says so.${rest}`,
      confidence,
      same,
      !isAlone,
    );
  }

  private fillList(name: string, schema: FieldSchema, pointer: string, scope: Scope, depth: number): unknown {
    const { items = {}, maxItems = ITEMS_MAX } = schema;
    const most = Math.min(maxItems, ITEMS_MAX);
    if (!typesOf(items).includes('object')) {
      const values = new Map<unknown, Fact[]>();
      for (const { value, fact } of this.findCandidates(name, items, scope))
        values.set(value, [...(values.get(value) ?? []), fact]);
      const found = [...values].slice(0, most);
      if (found.length === 0) return this.leaveEmpty(pointer, []);
      return found.map(([value, facts], index) =>
        this.noteField(`${pointer}/${index}`, value, `${facts[0]!.place} says so.`, 'medium', facts),
      );
    }
    const rows: unknown[] = [];
    for (const node of partsNamed(name, scope).slice(0, ITEMS_MAX)) {
      if (rows.length >= most) break;
      const before = this.basis.length;
      rows.push(this.fillObject(items, `${pointer}/${rows.length}`, { nodes: [node], facts: [] }, depth + 1));
      // A node without any of the fields is not an item of this list.
      if (this.basis.slice(before).every(({ facts }) => facts.length === 0)) {
        rows.pop();
        this.basis.length = before;
      }
    }
    return rows.length > 0 ? rows : this.leaveEmpty(pointer, []);
  }

  /** Returns possible values of a field; those of the best matching name and the most relevant node first. */
  private findCandidates(
    name: string,
    schema: FieldSchema,
    { nodes, facts }: Scope,
  ): Array<{ value: unknown; fact: Fact; isOwnName: boolean }> {
    const isYear = nameWordsOf(name).some((word) => ['year', 'founded', 'established'].includes(word));
    const fitting = (property: string, among: readonly Fact[]) =>
      among
        .filter(({ key }) => key === property)
        .flatMap((fact) => {
          const value = typedValue(fact.value, schema, isYear);
          return value === undefined ? [] : [{ value, fact, isOwnName: property === folded(name) }];
        });
    const split = thingAndProperty(name);
    const named = split ? nodes.filter(({ node }) => isA(node, split.types)) : [];
    // Any synonym within a node takes precedence over another node: a page is primarily about one thing.
    const tries: Array<[string[], ReadonlyArray<readonly Fact[]>]> = [
      ...(split
        ? [[propertiesFor(split.property), named.map(({ facts }) => facts)] as [string[], Fact[][]]]
        : []),
      [propertiesFor(name), [...nodes.map(({ facts }) => facts), facts]],
    ];
    for (const [properties, places] of tries) {
      const found = places.flatMap((among) => {
        const first = properties.map((property) => fitting(property, among)).find((each) => each.length > 0);
        return first ?? [];
      });
      if (found.length > 0) return found;
    }
    return [];
  }

  private leaveEmpty(pointer: string, value: unknown = null): unknown {
    return this.noteField(pointer, value, 'No page says so in a form for programs.', null, []);
  }

  private noteField(
    field: string,
    value: unknown,
    reasoning: string,
    confidence: Basis['confidence'],
    facts: readonly Fact[],
    isDisputed = false,
  ): unknown {
    this.basis.push({ field, value, reasoning, confidence, facts, isDisputed });
    return value;
  }
}

/** @returns nodes that a field names: as a property of a node, else by their type */
function partsNamed(name: string, { nodes }: Scope): DescribedNode[] {
  const properties = propertiesFor(name);
  const parts = nodes.flatMap(({ parts }) => properties.flatMap((property) => parts.get(property) ?? []));
  const types = typesFor(name);
  return parts.length > 0 || !types ? parts : nodes.filter(({ node }) => isA(node, types));
}

function citationOf({ page, value }: Fact, retrievedAt: string): Basis['citations'][number] {
  return {
    url: page.url,
    title: page.title,
    excerpt: excerptOf(page.html ?? '', String(value)),
    retrieved_at: retrievedAt,
  };
}

/** @returns the value with the surrounding text of the page; null when it does not occur literally, or only far down */
function excerptOf(html: string, value: string): string | null {
  const searched = html.slice(0, SEARCHED_CHARACTERS_MAX);
  const written = [value, JSON.stringify(value).slice(1, -1), value.replaceAll('&', '&amp;')];
  const at = written
    .map((text) => ({ from: searched.indexOf(text), length: text.length }))
    .find(({ from }) => from >= 0);
  if (!at) return null;
  const around = Math.max(0, Math.floor((EXCERPT_MAX - at.length) / 2));
  const excerpt = html.slice(
    Math.max(0, at.from - around),
    at.from + Math.min(at.length, EXCERPT_MAX) + around,
  );
  return excerpt.replace(/\s+/g, ' ').trim();
}
