import { inputFields, type AnyService } from '@quarry/service-catalog';
import type { ColumnKind } from '@quarry/dto';
import type { TableProfile, Entity, PlanColumn, ServiceInputs } from '@quarry/plan';
import { FIRST_NAME, foldHeading, LAST_NAME, LINKEDIN } from './column-headings.js';

/** Default attributes of an input, for rows of companies and of people. */
const ATTRIBUTES: Readonly<Record<string, Readonly<Record<Entity, string | null>>>> = {
  domain: { company: 'domain', person: 'company_domain' },
  company: { company: 'name', person: 'company_name' },
  name: { company: 'name', person: 'full_name' },
  linkedin_url: { company: 'linkedin_url', person: 'linkedin_url' },
  url: { company: 'website', person: 'company_website' },
  first_name: { company: null, person: 'first_name' },
  last_name: { company: null, person: 'last_name' },
  phone: { company: 'phone', person: null },
};
/** Column kinds that provide an input whatever their name, in tables of the organisation and from other services. */
const KINDS: Readonly<Record<string, ColumnKind>> = {
  domain: 'domain',
  url: 'url',
  email: 'email',
  phone: 'phone',
  linkedin_url: 'linkedin_url',
};

const COMPANY = /^(company|employer|organi[sz]ation|account|firm)( ?name)?$/;
const SITE = /^(company |employer |account )?(domain|web ?site|home ?page|site|url)( ?(name|url|address))?$/;
/** Column names that provide an input in a table of the organisation, whatever their kind, the most reliable first. */
const NAMES: Readonly<Record<string, readonly RegExp[]>> = {
  domain: [SITE],
  url: [SITE],
  company: [COMPANY],
  name: [/^(full ?)?name$/, /^(person|contact)( ?name)?$/, COMPANY],
  first_name: [FIRST_NAME],
  last_name: [LAST_NAME],
  linkedin_url: [LINKEDIN],
  email: [/^(work |business )?e ?mail( address)?$/],
  phone: [/^(tele)?phone( number)?$/],
};
/** Column names for the name of a company. */
const COMPANY_NAMES = [COMPANY, /^name$/];
/** Column names that show that a table is about people. */
const OF_PEOPLE = [FIRST_NAME, LAST_NAME, /^full ?name$/, /^(person|contact)( ?name)?$/];
const EMPLOYER: Readonly<Record<string, readonly RegExp[]>> = {
  name: [COMPANY],
  linkedin_url: [/company.*linked ?in|linked ?in.*company/],
};

/**
 * @param columns of the plan, which other services may fill
 * @returns the default inputs of a column's service from the data of rows; inputs without a source are omitted
 */
export function usualInputs(
  service: AnyService,
  { key: own, entity, table }: { key: string; entity: Entity; table: TableProfile | null },
  columns: readonly PlanColumn[],
): ServiceInputs {
  const others = columns.filter(({ key, source }) => key !== own && source.from === 'service');
  // An input that changes the price is never filled by default: the user must specify it.
  const taken = inputFields(service).filter(({ name }) => !(service.pricedBy ?? []).includes(name));
  const given = taken.flatMap(({ name }) => {
    const kind = KINDS[name];
    const key =
      (table ? columnFor(service, name, table) : attributeFor(service, name, entity)) ??
      (kind ? others.find((column) => column.kind === kind)?.key : undefined);
    return key === undefined || key === null ? [] : [[name, key] as const];
  });
  return Object.fromEntries(given);
}

function attributeFor({ name: service }: AnyService, input: string, entity: Entity): string | null {
  // In a person's row, the company's address and not the person's.
  if (service === 'enrichCompany' && entity === 'person' && input in ATTRIBUTES)
    return (
      { domain: 'company_domain', linkedin_url: 'company_linkedin_url', name: 'company_name' }[input] ?? null
    );
  return ATTRIBUTES[input]?.[entity] ?? null;
}

function columnFor(
  { name: service }: AnyService,
  input: string,
  { columns }: TableProfile,
): string | undefined {
  // As with attributes: the employer's, and not the person's.
  const employer = service === 'enrichCompany' && columnCalled(columns, OF_PEOPLE) && EMPLOYER[input];
  if (employer) return columnCalled(columns, employer)?.key;
  const kind = KINDS[input];
  const names = service === 'enrichCompany' && input === 'name' ? COMPANY_NAMES : (NAMES[input] ?? []);
  return (
    columns.find(({ key }) => key === input) ??
    (kind && columns.find((column) => column.kind === kind)) ??
    columnCalled(columns, names)
  )?.key;
}

/** @returns the column that matches the first of the names that any column matches */
function columnCalled(
  columns: TableProfile['columns'],
  names: readonly RegExp[],
): TableProfile['columns'][number] | undefined {
  const called = names.map((name) =>
    columns.find((each) => [each.key, each.name].some((text) => name.test(foldHeading(text)))),
  );
  return called.find((column) => column !== undefined);
}
