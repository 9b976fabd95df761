import type { ColumnKind } from '@quarry/dto';
import { COMPANY_ATTRIBUTES, LOOKUP_ATTRIBUTES, PERSON_ATTRIBUTES, type Attribute } from '@quarry/directory';
import type { WantedAttribute } from '../language/draft.js';
import type { ColumnSource, Entity, PlanColumn } from '../run-plan.js';

const companyByKey = new Map<string, Attribute>(
  COMPANY_ATTRIBUTES.map((attribute) => [attribute.key, attribute]),
);
const personByKey = new Map<string, Attribute>(
  PERSON_ATTRIBUTES.map((attribute) => [attribute.key, attribute]),
);
const lookups = new Map<string, (typeof LOOKUP_ATTRIBUTES)[number]>(
  LOOKUP_ATTRIBUTES.map((attribute) => [attribute.key, attribute]),
);
const USUAL: Readonly<Record<Entity, readonly string[]>> = {
  company: usualKeys('company', COMPANY_ATTRIBUTES),
  person: usualKeys('person', [
    ...PERSON_ATTRIBUTES,
    ...COMPANY_ATTRIBUTES.map((attribute) => ({ ...attribute, key: `company_${attribute.key}` })),
  ]),
};

function usualKeys(entity: Entity, attributes: readonly Attribute[]): string[] {
  return attributes
    .flatMap(({ key, usual }) => ({ key, at: usual[entity] ?? 0 }))
    .filter(({ at }) => at > 0)
    .sort((a, b) => a.at - b.at)
    .map(({ key }) => key);
}

interface Resolved {
  readonly key: string;
  readonly name: string;
  readonly kind: ColumnKind;
  readonly source: ColumnSource;
}

/**
 * Finds what fills an attribute on rows of an entity.
 * @param key key of the attribute; `company_…` names the company's on a person's row
 * @returns null when rows of this entity have no such attribute
 */
export function resolveAttribute(key: string, entity: Entity): Resolved | null {
  return entity === 'company' ? companyColumn(key) : personColumn(key);
}

function companyColumn(key: string): Resolved | null {
  const attribute =
    companyByKey.get(key.replace(/^company_/, '')) ?? (key === 'full_name' ? companyByKey.get('name') : null);
  return attribute ? fromDirectory(attribute, attribute.key, attribute.name) : null;
}

function personColumn(key: string): Resolved | null {
  const service = lookups.get(key);
  if (service)
    return {
      key,
      name: service.name,
      kind: service.kind,
      source: { from: 'service', service: service.service },
    };
  const own = personByKey.get(key);
  if (own) return fromDirectory(own, key, own.name);
  const company = companyByKey.get(key.replace(/^company_/, ''));
  if (!company) return null;
  const name = /^Company/.test(company.name)
    ? company.name
    : `Company ${company.name.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())}`;
  return fromDirectory(company, `company_${company.key}`, name);
}

function fromDirectory({ kind }: Attribute, key: string, name: string): Resolved {
  return { key, name, kind, source: { from: 'directory', attribute: key } };
}

/** Columns of a run without an output contract, and wanted attributes that nobody can fill. */
export interface ChosenColumns {
  readonly columns: PlanColumn[];
  readonly notUnderstood: string[];
}

/**
 * Chooses the columns: the usual ones of the entity, those that the filters speak of, so that each row shows why it
 * is there, and those that the prompt asks for.
 */
export function chooseColumns(
  entity: Entity,
  filterKeys: readonly string[],
  wanted: readonly WantedAttribute[],
): ChosenColumns {
  const required = new Set(wanted.filter(({ isRequired }) => isRequired).map(({ attribute }) => attribute));
  const keys = [...USUAL[entity], ...filterKeys, ...wanted.map(({ attribute }) => attribute)];
  const columns = new Map<string, PlanColumn>();
  for (const key of keys) {
    const resolved = resolveAttribute(key, entity);
    if (resolved && !columns.has(resolved.key))
      columns.set(resolved.key, { ...resolved, required: required.has(key), qualification: {} });
  }
  const open = wanted.filter(({ attribute }) => !resolveAttribute(attribute, entity)).map(({ text }) => text);
  return { columns: [...columns.values()], notUnderstood: open };
}
