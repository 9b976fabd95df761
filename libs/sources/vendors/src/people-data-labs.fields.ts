import { z } from 'zod';
import { listOf } from '@quarry/engine';

// Fields that the vendor's enrichment and search share. Sources: docs/reference-person-enrichment-api and
// docs/reference-company-search-api.

/** Text field. When the plan does not include a field, it is a boolean: whether there is a value. */
export const text = z.union([z.string(), z.boolean()]).nullish();
export const texts = z.union([listOf(z.string()), z.boolean()]).nullish();
export const number = z.union([z.number(), z.boolean()]).nullish();

const name = z.object({ name: text }).nullish();
const experience = z.object({
  title: name,
  company: z.object({ name: text, website: text }).nullish(),
  start_date: text,
  end_date: text,
});
const education = z.object({ school: name, degrees: texts, majors: texts, end_date: text });

export const PERSON_FIELDS = {
  full_name: text,
  first_name: text,
  last_name: text,
  job_title: text,
  job_title_role: text,
  job_title_levels: texts,
  linkedin_url: text,
  location_locality: text,
  location_region: text,
  location_country: text,
  job_company_name: text,
  job_company_website: text,
  job_company_linkedin_url: text,
  job_company_industry: text,
  job_company_founded: number,
  job_company_location_locality: text,
  job_company_location_region: text,
  job_company_location_country: text,
  experience: listOf(experience).nullish(),
  education: listOf(education).nullish(),
};
export const COMPANY_FIELDS = {
  name: text,
  display_name: text,
  website: text,
  linkedin_url: text,
  industry: text,
  summary: text,
  tags: texts,
  location: z.object({ locality: text, region: text, country: text }).nullish(),
};

/** @returns the text; null when it is missing or not included in the plan */
export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

export function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? (value as string[]) : [];
}

/** @returns an address with its scheme, which the vendor omits */
export function webAddressOf(value: unknown): string | null {
  const address = textOrNull(value);
  return address === null || /^https?:/.test(address) ? address : `https://${address}`;
}

/** @returns work history and education in the form of an imported file; domains as the vendor returns them */
export function careerOf({
  experience: posts,
  education: schools,
}: z.infer<z.ZodObject<Pick<typeof PERSON_FIELDS, 'experience' | 'education'>>>) {
  return {
    experiences: (posts ?? []).map((each) => ({
      title: textOrNull(each.title?.name),
      company: textOrNull(each.company?.name),
      company_domain: textOrNull(each.company?.website),
      start_year: yearOf(each.start_date),
      end_year: yearOf(each.end_date),
    })),
    educations: (schools ?? []).map((each) => ({
      school: textOrNull(each.school?.name),
      degree: textsOf(each.degrees)[0] ?? null,
      field: textsOf(each.majors)[0] ?? null,
      end_year: yearOf(each.end_date),
    })),
  };
}

/** @param date starts with its year */
function yearOf(date: unknown): number | null {
  return Number.parseInt(textOrNull(date) ?? '', 10) || null;
}
