import type { ColumnKind } from '@quarry/dto';
import { COMPANY_ATTRIBUTES, LOOKUP_ATTRIBUTES, PERSON_ATTRIBUTES, type Attribute } from '@quarry/directory';
import type { IntentColumnSource, Entity } from '@quarry/plan';
import { findService } from '@quarry/service-catalog';

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
  company: usualOf('company', COMPANY_ATTRIBUTES),
  person: usualOf('person', [
    ...PERSON_ATTRIBUTES,
    ...COMPANY_ATTRIBUTES.map((attribute) => ({ ...attribute, key: `company_${attribute.key}` })),
  ]),
};

function usualOf(entity: Entity, attributes: readonly Attribute[]): string[] {
  return attributes
    .flatMap(({ key, usual }) => ({ key, at: usual[entity] ?? 0 }))
    .filter(({ at }) => at > 0)
    .sort((a, b) => a.at - b.at)
    .map(({ key }) => key);
}

/** Column of an attribute, and its source. */
export interface Resolved {
  readonly key: string;
  readonly name: string;
  readonly kind: ColumnKind;
  readonly source: Exclude<IntentColumnSource, { from: 'table' }>;
}

/**
 * Finds the source of an attribute for rows of an entity.
 * @param key of the attribute; `company_…` means the company's attribute in a person's row
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

/** @returns the keys of an entity's default columns, in order */
export function usualKeys(entity: Entity): readonly string[] {
  return USUAL[entity];
}

/** @returns the keys of the default columns of rows from the web: name and address */
export function webKeys(entity: Entity): readonly string[] {
  return entity === 'company'
    ? ['name', 'domain', 'website']
    : ['full_name', 'title', 'company_name', 'company_domain'];
}

/** @returns the default key of the column that a source fills */
export function keyOfSource(source: IntentColumnSource): string {
  if (source.from === 'directory') return source.attribute;
  if (source.from === 'table') return source.column;
  const { service, field = findService(service)?.cellField ?? '' } = source;
  const isUsual = field === findService(service)?.cellField;
  const attribute = LOOKUP_ATTRIBUTES.find((each) => each.service === service);
  return attribute && isUsual ? attribute.key : toSnakeCase(`${service}_${field}`);
}

/** Converts "verifyEmail_mx.0.host" to "verify_email_mx_0_host", limited to the maximum length of a key. */
function toSnakeCase(text: string): string {
  const words = text.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
  return words.replace(/[^a-z0-9]+/g, '_').slice(0, KEY_CHARACTERS_MAX);
}

/** Maximum length of a key, with room for a numeric suffix. Source: docs/contract.md#4-tables. */
const KEY_CHARACTERS_MAX = 60;
