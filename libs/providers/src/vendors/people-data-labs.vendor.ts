import { linkedInSlug, type ContactInput } from '@quarry/service-catalog';
import { z } from 'zod';
import { profileOf } from './miss-outputs.js';
import { PEOPLE_DATA_LABS_SEARCHES } from './people-data-labs.search.js';
import { domainIn, nameIn, phonesOf, textIn } from './vendor-words.js';
import { answers, defineVendor, type VendorRequest } from './vendor.js';

/** Fields that a plan does not include say true or false: there is one, or none. */
const text = z.union([z.string(), z.boolean()]).nullish();
const texts = z.union([z.array(z.string()), z.boolean()]).nullish();
const year = z.string().nullish();

const name = z.object({ name: text }).nullish();
const experience = z.object({
  title: name,
  company: z.object({ name: text, website: text }).nullish(),
  start_date: year,
  end_date: year,
});
const education = z.object({ school: name, degrees: texts, majors: texts, end_date: year });
const place = { location_locality: text, location_region: text, location_country: text };
const person = z.object({
  likelihood: z.number().nullish(),
  data: z.object({
    full_name: text,
    first_name: text,
    last_name: text,
    work_email: text,
    mobile_phone: text,
    phone_numbers: texts,
    job_title: text,
    job_title_role: text,
    job_title_levels: texts,
    linkedin_url: text,
    ...place,
    job_company_name: text,
    job_company_website: text,
    job_company_linkedin_url: text,
    job_company_industry: text,
    job_company_founded: z.union([z.int(), z.boolean()]).nullish(),
    job_company_location_locality: text,
    job_company_location_region: text,
    job_company_location_country: text,
    experience: z.array(experience).nullish(),
    education: z.array(education).nullish(),
  }),
});
const company = z.object({
  likelihood: z.number(),
  name: text,
  display_name: text,
  website: text,
  linkedin_url: text,
  industry: text,
  summary: text,
  tags: texts,
  employee_count: z.int().nullish(),
  founded: z.int().nullish(),
  total_funding_raised: z.number().nullish(),
  location: z.object({ locality: text, region: text, country: text }).nullish(),
});

const said = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
const listed = (value: unknown): string[] => (Array.isArray(value) ? (value as string[]) : []);
const web = (value: unknown): string | null => {
  const address = said(value);
  return address === null || /^https?:/.test(address) ? address : `https://${address}`;
};
const yearOf = (date: string | null | undefined): number | null =>
  date ? Number.parseInt(date, 10) || null : null;
const cost = () => ({ unit: 'pdl_match', amount: 1 });
const price = '1 match; nothing when there is none';

/** @param required fields without which a person is no match: a match that helps nobody would be charged */
function enrich(
  input: Pick<ContactInput, 'linkedin_url' | 'first_name' | 'last_name' | 'company' | 'domain'>,
  required?: string,
): VendorRequest | null {
  const names = nameIn(input);
  const employer = domainIn(input) ?? textIn(input.company);
  const profile = linkedInSlug(input.linkedin_url) ? textIn(input.linkedin_url) : undefined;
  if (!profile && !(names && employer)) return null;
  return {
    method: 'GET',
    path: '/v5/person/enrich',
    query: {
      profile,
      first_name: names?.first,
      last_name: names?.last,
      company: employer,
      required,
      titlecase: true,
    },
  };
}

export const peopleDataLabs = defineVendor({
  id: 'people-data-labs',
  title: 'People Data Labs',
  base: 'https://api.peopledatalabs.com',
  docs: 'https://docs.peopledatalabs.com/docs/reference-person-enrichment-api',
  key: { env: 'PEOPLE_DATA_LABS_KEY', header: 'X-Api-Key' },
  // Of a paid account; a free one has a hundred, and is told so by a 429.
  limits: { perMinute: 1_000, concurrency: 10 },
  services: {
    getEmail: answers('getEmail', {
      needs: 'a LinkedIn profile; or first and last name with a domain or company',
      price,
      // The vendor gathers addresses and does not write to them.
      statuses: ['unverified'],
      request: (input) => enrich(input, 'work_email'),
      answer: person,
      map: ({ data }) => {
        const email = said(data.work_email);
        return email ? { email: email.toLowerCase(), status: 'unverified', confidence: 'medium' } : null;
      },
      cost,
    }),
    getPhoneNumber: answers('getPhoneNumber', {
      needs: 'a LinkedIn profile; or first and last name with a domain or company',
      price,
      request: (input) => enrich(input, 'mobile_phone OR phone_numbers'),
      answer: person,
      map: ({ data }) => {
        const mobile = said(data.mobile_phone);
        return phonesOf(
          [
            ...(mobile ? [{ number: mobile, isMobile: true }] : []),
            ...listed(data.phone_numbers).map((number) => ({ number })),
          ],
          'people-data-labs',
        );
      },
      cost,
    }),
    enrichPerson: answers('enrichPerson', {
      needs: 'a LinkedIn profile; or first and last name with a domain',
      price,
      request: (input) => enrich(input),
      answer: person,
      map: ({ data }) =>
        profileOf('enrichPerson', {
          full_name: said(data.full_name),
          first_name: said(data.first_name),
          last_name: said(data.last_name),
          title: said(data.job_title),
          seniority: listed(data.job_title_levels)[0],
          department: said(data.job_title_role),
          city: said(data.location_locality),
          state: said(data.location_region),
          country: said(data.location_country),
          linkedin_url: web(data.linkedin_url),
          experiences: (data.experience ?? []).map((each) => ({
            title: said(each.title?.name),
            company: said(each.company?.name),
            company_domain: domainIn({ domain: said(each.company?.website) ?? undefined }) ?? null,
            start_year: yearOf(each.start_date),
            end_year: yearOf(each.end_date),
          })),
          educations: (data.education ?? []).map((each) => ({
            school: said(each.school?.name),
            degree: listed(each.degrees)[0] ?? null,
            field: listed(each.majors)[0] ?? null,
            end_year: yearOf(each.end_date),
          })),
          company_name: said(data.job_company_name),
          company_domain: domainIn({ domain: said(data.job_company_website) ?? undefined }),
          company_website: web(data.job_company_website),
          company_linkedin_url: web(data.job_company_linkedin_url),
          company_industry: said(data.job_company_industry),
          company_founded_year:
            typeof data.job_company_founded === 'number' ? data.job_company_founded : null,
          company_city: said(data.job_company_location_locality),
          company_state: said(data.job_company_location_region),
          company_country: said(data.job_company_location_country),
        }),
      cost,
    }),
    enrichCompany: answers('enrichCompany', {
      needs: 'a domain, a LinkedIn page or a name',
      price,
      request: (input) => {
        const query = {
          website: domainIn(input),
          profile: textIn(input.linkedin_url),
          name: textIn(input.name),
        };
        const isNamed = Object.values(query).some((value) => value !== undefined);
        return isNamed
          ? { method: 'GET', path: '/v5/company/enrich', query: { ...query, titlecase: true } }
          : null;
      },
      answer: company,
      map: (found) =>
        profileOf('enrichCompany', {
          name: said(found.display_name) ?? said(found.name),
          domain: domainIn({ domain: said(found.website) ?? undefined }),
          website: web(found.website),
          linkedin_url: web(found.linkedin_url),
          industry: said(found.industry),
          description: said(found.summary),
          city: said(found.location?.locality),
          state: said(found.location?.region),
          country: said(found.location?.country),
          headcount: found.employee_count,
          founded_year: found.founded,
          funding_amount_usd:
            found.total_funding_raised == null ? null : Math.round(found.total_funding_raised),
          keywords: listed(found.tags),
        }),
      cost,
    }),
  },
  searches: PEOPLE_DATA_LABS_SEARCHES,
  // Nobody like this; it is not charged.
  meaning: { 404: 'miss' },
});
