import { COMPANY_ATTRIBUTES, PERSON_ATTRIBUTES, type Attribute } from '@quarry/directory';
import { z } from 'zod';

const known = z.string().nullable();
const year = z.int().nullable();

/** Schema of an attribute, by the kind of its column: as in the search services, but nullable. */
const TYPES: Readonly<Partial<Record<Attribute['kind'], z.ZodType>>> = {
  number: z.int().nullable(),
  boolean: z.boolean().nullable(),
  list: z.array(z.string()),
  experiences: z.array(
    z.strictObject({ title: known, company: known, company_domain: known, start_year: year, end_year: year }),
  ),
  educations: z.array(z.strictObject({ school: known, degree: known, field: known, end_year: year })),
};

function profileOf(attributes: readonly Attribute[], prefix: string): z.ZodRawShape {
  return Object.fromEntries(attributes.map(({ key, kind }) => [`${prefix}${key}`, TYPES[kind] ?? known]));
}

/** Fields of an item of searchCompanies, each of which may be null or empty. */
export const COMPANY_PROFILE = profileOf(COMPANY_ATTRIBUTES, '');
/** Fields of an item of searchPeople, each of which may be null or empty. */
export const PERSON_PROFILE = {
  ...profileOf(PERSON_ATTRIBUTES, ''),
  ...profileOf(COMPANY_ATTRIBUTES, 'company_'),
};
