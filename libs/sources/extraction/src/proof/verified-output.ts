import type { ProvableSchema, Refusal } from './claim.js';
import type { Confidence } from './confidence.js';

/** JSON Schema, as far as it is needed to build an output. */
export interface OutputSchema extends ProvableSchema {
  readonly properties?: Readonly<Record<string, OutputSchema>>;
  readonly items?: OutputSchema;
  readonly maxItems?: number;
  readonly description?: string;
  readonly const?: unknown;
}

/** Passage of a page that proves a field. */
export interface ProvedCitation {
  readonly url: string;
  readonly title: string | null;
  readonly excerpt: string;
  /** ISO 8601. */
  readonly retrieved_at: string;
}

/** Proved claim with the data of its basis entry. */
export interface ProvedClaim {
  readonly field: string;
  readonly value: unknown;
  readonly reasoning: string;
  readonly confidence: Confidence;
  readonly citations: readonly ProvedCitation[];
}

/** Reason for the value of a leaf. Source: docs/contract.md#6-go. */
export interface BasisEntry {
  field: string;
  value: unknown;
  reasoning: string;
  confidence: Confidence | null;
  citations: ProvedCitation[];
}

export interface VerifiedOutput {
  output: unknown;
  basis: BasisEntry[];
  /** True when nothing more can be proved: every leaf has a value, and there is no list, to which items could be added. */
  isComplete: boolean;
}

const DEPTH_MAX = 8;
const ITEMS_MAX = 100;
export const LEAVES_MAX = 500;

/** @returns the types that a schema allows, without null */
export function typesOf({ type, properties, items }: OutputSchema): string[] {
  const types = type === undefined ? [] : [type].flat();
  if (types.length === 0) return properties ? ['object'] : items ? ['array'] : [];
  return types.filter((each) => each !== 'null');
}

/** @returns a step of a JSON pointer. Source: RFC 6901 */
export function pointerStep(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/**
 * @param pointer JSON pointer into an output
 * @returns the schema of a leaf and the last name of its path; null when the schema has no such leaf
 */
export function leafAt(schema: OutputSchema, pointer: string): { schema: OutputSchema; name: string } | null {
  if (!pointer.startsWith('/')) return null;
  let at: OutputSchema | undefined = schema;
  let name = '';
  for (const raw of pointer.slice(1).split('/')) {
    const step = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    const types = typesOf(at);
    if (types.includes('array') && /^(?:0|[1-9]\d{0,2})$/.test(step)) at = at.items ?? {};
    else if (at.properties && Object.hasOwn(at.properties, step)) {
      at = at.properties[step];
      name = step;
    } else return null;
    if (!at) return null;
  }
  const isLeaf = !typesOf(at).some((type) => type === 'object' || type === 'array') && !('const' in at);
  return isLeaf ? { schema: at, name } : null;
}

/**
 * Builds the output of a run from the proved claims, with a reason for the value of each leaf. A field without proof is
 * null; lists contain the items with a proved field, ordered by their index.
 * @param why sentence for each field whose claim was refused
 * @param unsaid sentence for each field without a claim
 */
export function verifiedOutput(
  schema: OutputSchema,
  proved: readonly ProvedClaim[],
  why: ReadonlyMap<string, string> = new Map(),
  unsaid = UNSAID,
): VerifiedOutput {
  const builder = new OutputBuilder(proved, why, unsaid);
  const output = builder.value(schema, '', '', 1);
  const isComplete = !builder.hasList && builder.basis.every(({ value }) => value !== null);
  return { output, basis: builder.basis, isComplete };
}

const UNSAID = 'No page that was read proves it.';

class OutputBuilder {
  readonly basis: BasisEntry[] = [];
  hasList = false;
  private readonly byField: Map<string, ProvedClaim>;

  constructor(
    proved: readonly ProvedClaim[],
    private readonly why: ReadonlyMap<string, string>,
    private readonly unsaid: string,
  ) {
    this.byField = new Map(proved.map((claim) => [claim.field, claim]));
  }

  /** @param from pointer of the claims for this value; differs from its position when earlier list items were dropped */
  value(schema: OutputSchema, field: string, from: string, depth: number): unknown {
    if ('const' in schema) return this.say(field, schema.const, 'The schema itself says so.', 'high');
    if (depth > DEPTH_MAX || this.basis.length >= LEAVES_MAX) return this.say(field, null, this.unsaid, null);
    const types = typesOf(schema);
    if (types.includes('object')) {
      const entries = Object.entries(schema.properties ?? {}).map(([name, property]) => {
        const step = pointerStep(name);
        return [name, this.value(property, field + step, from + step, depth + 1)] as const;
      });
      return Object.fromEntries(entries);
    }
    if (types.includes('array')) return this.list(schema, field, from, depth);
    const claim = this.byField.get(from);
    if (!claim) return this.say(field, null, this.why.get(from) ?? this.unsaid, null);
    this.basis.push({ ...claim, field, citations: [...claim.citations] });
    return claim.value;
  }

  private list(
    { items = {}, maxItems = ITEMS_MAX }: OutputSchema,
    field: string,
    from: string,
    depth: number,
  ): unknown[] {
    this.hasList = true;
    const below = [...this.byField.keys()].filter((each) => each.startsWith(`${from}/`));
    const numbers = new Set(below.map((each) => Number(each.slice(from.length + 1).split('/', 1)[0])));
    const found = [...numbers]
      .filter(Number.isInteger)
      .sort((a, b) => a - b)
      .slice(0, Math.min(maxItems, ITEMS_MAX));
    if (found.length === 0) {
      this.say(field, [], this.why.get(from) ?? this.unsaid, null);
      return [];
    }
    return found.map((number, place) =>
      this.value(items, `${field}/${place}`, `${from}/${number}`, depth + 1),
    );
  }

  private say(field: string, value: unknown, reasoning: string, confidence: Confidence | null): unknown {
    this.basis.push({ field, value, reasoning, confidence, citations: [] });
    return value;
  }
}

/** Sentences for refusals, for the basis and for the claimant. */
export const REFUSALS: Readonly<Record<Refusal, string>> = {
  page_not_read: 'The cited page was not read in this run.',
  quote_too_short: 'The quote is too short to prove anything.',
  quote_not_in_page: 'The quote is not on the cited page.',
  value_not_in_quote: 'Found no supporting quote: the value does not follow from the words that were cited.',
  value_not_in_schema: 'The value does not match the schema.',
};
