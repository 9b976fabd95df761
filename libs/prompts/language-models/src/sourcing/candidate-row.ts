import { cellOf, type CellJson, type ColumnKind, type FitJson } from '@quarry/dto';
import type { PlanColumn, RunPlan } from '@quarry/plan';
import { fitOfVerdicts, type Subject } from '@quarry/plan-compiler';
import type { SourcedCandidate, SourcingTask } from './sourcing.js';

/** The plan of a table whose rows are sourced from the web. */
export type WebPlan = RunPlan & { readonly source: Extract<RunPlan['source'], { kind: 'web' }> };

/** A candidate as a row of its table. */
interface CandidateRow {
  values: Record<string, unknown>;
  cells: Record<string, CellJson>;
  fit: FitJson;
  subject: Subject | null;
}

type FieldSchema = SourcingTask['fields'][string];

/** Schemas for extracting the values of a column from pages; columns of lists or objects are not extracted. */
const SCHEMAS: Readonly<Partial<Record<ColumnKind, FieldSchema>>> = {
  text: { type: 'string' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date' },
  url: { type: 'string', format: 'uri' },
  linkedin_url: { type: 'string', format: 'uri' },
  email: { type: 'string', format: 'email' },
  phone: { type: 'string' },
  domain: { type: 'string' },
};

/** Facts that every candidate has, by the directory's attribute names. */
const OWN: Readonly<Record<string, (candidate: SourcedCandidate) => string | null>> = {
  name: ({ name }) => name,
  full_name: ({ name }) => name,
  domain: ({ domain }) => domain,
  company_domain: ({ domain }) => domain,
  website: ({ url, domain }) => (domain === null ? null : url),
  url: ({ url }) => url,
};

/** @returns the task for the sourcing state machine */
export function taskOf(plan: WebPlan): SourcingTask {
  const fields = plan.columns.flatMap((column): Array<[string, FieldSchema]> => {
    const schema = SCHEMAS[column.kind];
    return column.source.from === 'web' && !ownOf(column) && schema
      ? [[column.key, { ...schema, description: column.name }]]
      : [];
  });
  const { entity, limit: count, source } = plan;
  return {
    wanted: source.wanted,
    entity,
    count,
    fields: Object.fromEntries(fields),
    criteria: plan.criteria.map(({ criterion, effect }) => ({ text: criterion, effect })),
  };
}

/** @returns the row of a candidate: each value and each verdict with its quote */
export function rowOfCandidate(plan: WebPlan, candidate: SourcedCandidate): CandidateRow {
  const parts = plan.columns.map((column) => ({ key: column.key, ...cellFor(plan, column, candidate) }));
  const found = candidate.verdicts.map(({ holds, reason, citation }) => ({
    holds,
    why: citation ? `${reason} “${citation.excerpt}” (${citation.url})` : reason,
  }));
  return {
    values: Object.fromEntries(parts.map(({ key, value }) => [key, value])),
    cells: Object.fromEntries(parts.flatMap(({ key, cell }) => (cell ? [[key, cell] as const] : []))),
    fit: fitOfVerdicts(plan.criteria, found),
    subject: subjectOf(plan, candidate),
  };
}

function ownOf({ key, source }: PlanColumn): ((candidate: SourcedCandidate) => string | null) | undefined {
  const name = source.from === 'web' ? (source.attribute ?? key) : '';
  return Object.hasOwn(OWN, name) ? OWN[name] : undefined;
}

function cellFor(
  plan: WebPlan,
  column: PlanColumn,
  candidate: SourcedCandidate,
): { value: unknown; cell: CellJson | null } {
  switch (column.source.from) {
    case 'web':
      return ofWeb(column, candidate);
    case 'criterion':
      return ofCriterion(plan, column, candidate);
    case 'service':
      return { value: null, cell: cellOf('pending') };
    default:
      return { value: null, cell: null };
  }
}

function ofWeb(column: PlanColumn, candidate: SourcedCandidate): { value: unknown; cell: CellJson } {
  const own = ownOf(column);
  const ownValue = own?.(candidate) ?? null;
  if (own && ownValue === null)
    return { value: null, cell: cellOf('empty', { reasoning: 'No page shows its own website.' }) };
  if (own) {
    const citation =
      (own !== OWN['name'] && own !== OWN['full_name'] && candidate.siteCitation) || candidate.citation;
    return { value: ownValue, cell: cellOf('filled', { confidence: 'medium', citations: [citation] }) };
  }
  const known = candidate.values[column.key];
  if (!known)
    return {
      value: null,
      cell: cellOf('skipped', { reasoning: 'Values of this kind are not read from pages.' }),
    };
  const { value, reasoning, confidence, citations } = known;
  if (value !== null) return { value, cell: cellOf('filled', { reasoning, confidence, citations }) };
  return {
    value: null,
    cell: candidate.isCutShort ? skippedCell(reasoning) : cellOf('empty', { reasoning }),
  };
}

/** Returns the verdict for a boolean column, and the quote for any other kind. */
function ofCriterion(
  plan: WebPlan,
  { key, kind }: PlanColumn,
  candidate: SourcedCandidate,
): { value: unknown; cell: CellJson | null } {
  const { holds, reason, citation } =
    candidate.verdicts[plan.criteria.findIndex(({ column_key }) => column_key === key)] ?? {};
  if (holds === undefined) return { value: null, cell: null };
  if (holds === null || !citation)
    return {
      value: null,
      cell: candidate.isCutShort ? skippedCell(reason!) : cellOf('empty', { reasoning: reason! }),
    };
  const value = kind === 'boolean' ? holds : kind === 'text' ? citation.excerpt : null;
  const found = { reasoning: reason!, confidence: 'medium' as const, citations: [citation] };
  return { value, cell: cellOf('filled', found) };
}

function skippedCell(why: string): CellJson {
  return cellOf('skipped', { error: { code: 'usage_limit', message: why } });
}

/** Returns the person that a paid lookup is about, when rows are people. */
function subjectOf(
  { entity, columns }: WebPlan,
  { name, domain, linkedin_url, values }: SourcedCandidate,
): Subject | null {
  const words = name.split(/\s+/);
  if (entity !== 'person' || words.length < 2) return null;
  const employer = columns.find(({ source }) => source.from === 'web' && source.attribute === 'company_name');
  const company = employer && values[employer.key]?.value;
  return {
    first_name: words[0]!,
    last_name: words.at(-1)!,
    ...(domain === null ? {} : { domain }),
    ...(domain === null && linkedin_url !== null ? { linkedin_url } : {}),
    ...(typeof company === 'string' ? { company } : {}),
  };
}
