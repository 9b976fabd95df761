import { attributeNamed } from '@quarry/directory';
import type { ColumnKind } from '@quarry/dto';
import type { ColumnSource, Entity, PlanColumn, ContractColumn } from '@quarry/plan';
import { resolveAttribute } from './directory-columns.js';

/** Attribute for a column kind when neither key nor name is recognised. */
const ATTRIBUTE_BY_KIND: Partial<Readonly<Record<ColumnKind, string>>> = {
  email: 'email',
  phone: 'phone',
  linkedin_url: 'linkedin_url',
  experiences: 'experiences',
  educations: 'educations',
};

/** Finds the source of a column of an output contract: by the words in place of its key or by key, by name, then by kind. */
export function contractColumn(column: ContractColumn, entity: Entity): PlanColumn {
  const { key, required, qualification } = column;
  const found = attributeOf(column, entity);
  const hasCriterion = 'criterion' in qualification;
  const source: ColumnSource = found?.source ?? (hasCriterion ? { from: 'criterion' } : { from: 'nothing' });
  return {
    key,
    name: column.name ?? found?.name ?? key,
    kind: column.kind ?? found?.kind ?? (hasCriterion ? 'boolean' : 'text'),
    required,
    qualification,
    source,
  };
}

function attributeOf({ key: ownKey, spoken: words, name, kind }: ContractColumn, entity: Entity) {
  const key = words ?? ownKey;
  const spoken = [key, name ?? ''].flatMap((text) => attributeKeys(text, entity));
  const byKind = kind === null ? undefined : ATTRIBUTE_BY_KIND[kind];
  // The key of the company's name is also the usual key for a person's.
  const own = key === 'name' && entity === 'person' ? 'full_name' : key;
  for (const candidate of [own, ...spoken, ...(byKind ? [byKind] : [])]) {
    const resolved = resolveAttribute(candidate, entity);
    if (resolved) return resolved;
  }
  return null;
}

/** Usual keys of programs that nobody would say in a prompt, as words that are known. */
const KEY_WORDS: Readonly<Record<Entity, ReadonlyMap<string, string>>> = {
  company: new Map([
    ['about', 'description'],
    // The year of foundation is no number of years.
    ['age', ''],
    ['currently hiring', 'is hiring'],
    ['established', 'founded'],
    ['founded in', 'founded'],
    ['headquarter city', 'city'],
    ['home page', 'homepage'],
    ['last round', 'funding stage'],
    ['overview', 'description'],
    ['website domain', 'domain'],
    ['hiring', 'is hiring'],
    ['num employees', 'employees'],
    ['tech', 'technologies'],
    ['tools', 'technologies'],
  ]),
  // What no source has of a person is not taken from the company: its description, and the year of its foundation.
  person: new Map([
    ['age', ''],
    ['summary', ''],
  ]),
};

/** Words of keys around the name of an attribute that change nothing. */
const QUALIFIER = /^(?:latest|main|primary) | usd$/g;

function attributeKeys(text: string, entity: Entity): string[] {
  const spoken = spokenKey(text).toLowerCase();
  const ofPerson = /^(?:person|contact|lead|prospect)\b/;
  // What a company has under the same name is not the person's.
  if (entity === 'company' && ofPerson.test(spoken)) return [];
  const ofCompany =
    /^(?:current company|employer|org|organi[sz]ation|(?:account|brand|business|firm|startup)(?= name$))\b/;
  const words = KEY_WORDS[entity].get(spoken) ?? spoken.replace(ofCompany, 'company').replace(/^person /, '');
  const own = words.startsWith('company ') ? words.slice('company '.length) : null;
  const known = own === null ? undefined : KEY_WORDS.company.get(own);
  const employer = own === null ? null : attributeWith(known ?? own);
  const found = known === undefined ? attributeWith(words) : null;
  return [...(employer ? [`company_${employer.key}`] : []), ...(found ? [found.key] : [])];
}

function attributeWith(words: string) {
  return attributeNamed(words) ?? attributeNamed(words.replace(QUALIFIER, ''));
}

/** Converts keys to words: "companyName" and "company_name" become "company name". */
export function spokenKey(text: string): string {
  return text
    .replace(/linkedin/gi, 'Linkedin')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[_-]/g, ' ');
}
