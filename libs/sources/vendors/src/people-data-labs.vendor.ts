import type { ContactInput } from '@quarry/service-catalog';
import { z } from 'zod';
import { profileOf } from '@quarry/engine';
import {
  careerOf,
  COMPANY_FIELDS,
  numberOrNull,
  textsOf,
  PERSON_FIELDS,
  textOrNull,
  text,
  texts,
  webAddressOf,
} from './people-data-labs.fields.js';
import { PEOPLE_DATA_LABS_SEARCHES } from './people-data-labs.search.js';
import { nameIn, textIn, phonesOf } from '@quarry/extraction';
import { domainIn, profileIn } from './vendor-words.js';
import { defineService, defineVendor, type VendorRequest } from './vendor.js';

const person = z.object({
  likelihood: z.number().nullish(),
  data: z.object({ ...PERSON_FIELDS, work_email: text, mobile_phone: text, phone_numbers: texts }),
});
const company = z.object({
  ...COMPANY_FIELDS,
  likelihood: z.number(),
  employee_count: z.int().nullish(),
  founded: z.int().nullish(),
  total_funding_raised: z.number().nullish(),
});

/**
 * Lowest likelihood of a match, 1 to 10, that the vendor returns and charges. Its default is 2, at which it is somebody else
 * in at least seven of ten cases; it recommends 6. Source: docs/output-response-person-enrichment-api.
 */
const LIKELIHOOD_MIN = 6;

const cost = () => ({ unit: 'pdl_match', amount: 1 });
const price = '1 match; nothing when there is none';

/** @param required fields that must be present for a match: a match without them would be useless but charged */
function enrichService(
  input: Pick<ContactInput, 'linkedin_url' | 'first_name' | 'last_name' | 'company' | 'domain'>,
  required?: string,
): VendorRequest | null {
  const names = nameIn(input);
  const employer = domainIn(input) ?? textIn(input.company);
  const profile = profileIn(input.linkedin_url);
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
      min_likelihood: LIKELIHOOD_MIN,
      titlecase: true,
    },
  };
}

/** @returns work history and education, with the registrable domains of the employers */
function careerAt(data: z.infer<typeof person>['data']) {
  const { experiences, educations } = careerOf(data);
  const domainOf = (website: string | null) => domainIn({ domain: website ?? undefined }) ?? null;
  return {
    experiences: experiences.map((each) => ({ ...each, company_domain: domainOf(each.company_domain) })),
    educations,
  };
}

export const peopleDataLabs = defineVendor({
  id: 'people-data-labs',
  title: 'People Data Labs',
  base: 'https://api.peopledatalabs.com',
  docs: 'https://docs.peopledatalabs.com/docs/reference-person-enrichment-api',
  key: { env: 'PEOPLE_DATA_LABS_KEY', header: 'X-Api-Key' },
  // Limit of a paid account; a free one has 100 and gets a 429 above that.
  limits: { perMinute: 1_000, concurrency: 10 },
  services: {
    getEmail: defineService('getEmail', {
      needs: 'a LinkedIn profile; or first and last name with a domain or company',
      price,
      // The vendor collects addresses and does not verify them.
      statuses: ['unverified'],
      request: (input) => enrichService(input, 'work_email'),
      answer: person,
      map: ({ data }) => {
        const email = textOrNull(data.work_email);
        return email ? { email: email.toLowerCase(), status: 'unverified', confidence: 'medium' } : null;
      },
      cost,
    }),
    getPhoneNumber: defineService('getPhoneNumber', {
      needs: 'a LinkedIn profile; or first and last name with a domain or company',
      price,
      request: (input) => enrichService(input, 'mobile_phone OR phone_numbers'),
      answer: person,
      map: ({ data }) => {
        const mobile = textOrNull(data.mobile_phone);
        return phonesOf(
          [
            ...(mobile ? [{ number: mobile, isMobile: true }] : []),
            ...textsOf(data.phone_numbers).map((number) => ({ number })),
          ],
          'people-data-labs',
        );
      },
      cost,
    }),
    enrichPerson: defineService('enrichPerson', {
      needs: 'a LinkedIn profile; or first and last name with a domain',
      price,
      request: (input) => enrichService(input),
      answer: person,
      map: ({ data }) =>
        profileOf('enrichPerson', {
          full_name: textOrNull(data.full_name),
          first_name: textOrNull(data.first_name),
          last_name: textOrNull(data.last_name),
          title: textOrNull(data.job_title),
          seniority: textsOf(data.job_title_levels)[0],
          department: textOrNull(data.job_title_role),
          city: textOrNull(data.location_locality),
          state: textOrNull(data.location_region),
          country: textOrNull(data.location_country),
          linkedin_url: webAddressOf(data.linkedin_url),
          ...careerAt(data),
          company_name: textOrNull(data.job_company_name),
          company_domain: domainIn({ domain: textOrNull(data.job_company_website) ?? undefined }),
          company_website: webAddressOf(data.job_company_website),
          company_linkedin_url: webAddressOf(data.job_company_linkedin_url),
          company_industry: textOrNull(data.job_company_industry),
          company_founded_year: numberOrNull(data.job_company_founded),
          company_city: textOrNull(data.job_company_location_locality),
          company_state: textOrNull(data.job_company_location_region),
          company_country: textOrNull(data.job_company_location_country),
        }),
      cost,
    }),
    enrichCompany: defineService('enrichCompany', {
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
          ? {
              method: 'GET',
              path: '/v5/company/enrich',
              query: { ...query, min_likelihood: LIKELIHOOD_MIN, titlecase: true },
            }
          : null;
      },
      answer: company,
      map: (found) =>
        profileOf('enrichCompany', {
          name: textOrNull(found.display_name) ?? textOrNull(found.name),
          domain: domainIn({ domain: textOrNull(found.website) ?? undefined }),
          website: webAddressOf(found.website),
          linkedin_url: webAddressOf(found.linkedin_url),
          industry: textOrNull(found.industry),
          description: textOrNull(found.summary),
          city: textOrNull(found.location?.locality),
          state: textOrNull(found.location?.region),
          country: textOrNull(found.location?.country),
          headcount: found.employee_count,
          founded_year: found.founded,
          funding_amount_usd:
            found.total_funding_raised == null ? null : Math.round(found.total_funding_raised),
          keywords: textsOf(found.tags),
        }),
      cost,
    }),
  },
  searches: PEOPLE_DATA_LABS_SEARCHES,
  // No matching person; this is not charged.
  meaning: { 404: 'miss' },
});
