import { companyValues, personValues } from '@quarry/directory';
import { departmentName, foldWords } from '@quarry/vocabulary';
import { readObjectSchema, registrableDomain } from '@quarry/dto';
import { limitOf, LOOKUP_OUTPUTS, type LookupName } from '@quarry/service-catalog';
import { factsOf, SchemaFiller, PhoneProvider, classify } from '@quarry/extraction';
import {
  answerOf,
  ProviderFailure,
  type LookupProvider,
  type ProviderAnswer,
  type ProviderCall,
  isReservedName,
  missOutput,
} from '@quarry/engine';
import type { SandboxDirectory } from '../directory/sandbox-directory.provider.js';
import { companyAt, personNamed } from './stand-ins.js';
import type { WholeCompany } from '../directory/whole-record.js';
import { fingerprintOf } from './fingerprint.js';
import { SandboxControls } from './sandbox-controls.js';

const PROVIDER = 'sandbox';
/** Fixed reading time: with a clock, the same input would not always give the same result. */
const READ_AT = '2026-01-01T00:00:00.000Z';
const PATHS = ['', '/about', '/team', '/careers', '/contact'] as const;
const ARTICLES = 5;
/** Input fields that may contain an address of a company. */
const ADDRESS_FIELDS = ['domain', 'url', 'urls', 'email', 'company', 'name', 'linkedin_url'] as const;

/** Request to one service. */
interface SandboxRequest {
  input: Readonly<Record<string, unknown>>;
  /**
   * Company that the input names by address or name; null when it is not in the sandbox, or a control domain requests a miss.
   */
  company: WholeCompany | null;
  /** True when a control domain requests a miss. */
  isMiss: boolean;
  call: ProviderCall;
}

interface Answered {
  found: boolean;
  output: Record<string, unknown>;
}

/**
 * Implements every fast service that does not search a directory, for the companies and people of the sandbox's directory
 * and for names reserved for examples. The same input always gets the same result, and real companies and people are
 * misses. Control domains decide the outcome.
 */
export class SandboxLookupProvider implements LookupProvider {
  readonly id = PROVIDER;
  readonly services = Object.keys(LOOKUP_OUTPUTS);
  private readonly controls = new SandboxControls();
  private readonly phones = new PhoneProvider();
  private readonly answers: Readonly<
    Record<LookupName, (request: SandboxRequest) => Answered | Promise<Answered>>
  > = {
    webSearch: (request) => this.searchCompanies(request, 'Fictional article'),
    newsSearch: (request) => this.searchCompanies(request, 'Fictional news'),
    scrapeUrl: ({ input, company }) => foundAnswer(pageOf(String(input.url), company), company !== null),
    mapWebsite: ({ input, company }) => itemsAnswer(company ? pagesOf(company).slice(0, limitOf(input)) : []),
    extractData: (request) => extractedAnswer(request),
    findDomain: ({ company }) =>
      foundAnswer({ domain: company?.domain ?? null, confidence: company && 'high' }, company !== null),
    domainInfo: ({ input, company }) => foundAnswer(registrationOf(String(input.domain), company)),
    detectTech: ({ company }) => itemsAnswer(company ? technologiesOf(company) : []),
    enrichCompany: ({ company }) => profileAnswer('enrichCompany', company && companyValues(company)),
    enrichPerson: ({ input, isMiss }) => {
      const person = isMiss ? null : personNamed(input, this.directory);
      return profileAnswer('enrichPerson', person && personValues(person));
    },
    findLinkedInUrl: (request) => this.linkedIn(request),
    getJobPostings: ({ input, company }) =>
      itemsAnswer(company ? postingsOf(company).slice(0, limitOf(input)) : []),
    verifyEmail: ({ input, company, isMiss }) => {
      const verdict = verdictOf(String(input.email), company, isMiss);
      return foundAnswer(verdict, verdict.status !== 'unknown');
    },
    findEmailPattern: ({ company }) =>
      foundAnswer(
        {
          pattern: company && '{first}.{last}',
          confidence: company && 'high',
          examples: company ? [`ada.lovelace@${company.domain}`] : [],
        },
        company !== null,
      ),
    validatePhone: async ({ call, isMiss }) =>
      isMiss
        ? foundAnswer({ phone: null, valid: false, country: null, line_type: null }, false)
        : foundAnswer((await this.phones.answerCall(call)).output),
    classifyText: ({ input, isMiss }) => {
      const classified = isMiss
        ? { label: null, confidence: null, reasoning: null }
        : classify(String(input.text), input.labels as string[]);
      return foundAnswer({ ...classified }, classified.label !== null);
    },
    findSocials: ({ company }) => ({
      found: company !== null,
      output: { ...missOutput('findSocials', {}), linkedin_url: company?.linkedin_url ?? null },
    }),
  };

  constructor(private readonly directory: SandboxDirectory) {}

  async answerCall(call: ProviderCall): Promise<ProviderAnswer> {
    const { input } = call;
    // A query or a text is prose, so a control domain may occur anywhere in it.
    const words = ['query', 'text', 'prompt'].flatMap((field) => String(input[field] ?? '').split(/\s+/));
    const control = await this.controls.obeyControl([input, words], call);
    const isMiss = ['miss', 'deep-miss', 'deep-fail'].includes(control?.kind ?? '');
    const company = isMiss ? null : this.companyOf(input);
    const { found, output } = await this.answers[call.service as LookupName]({
      input,
      company,
      isMiss,
      call,
    });
    return answerOf(PROVIDER, found, output);
  }

  private companyOf(input: SandboxRequest['input']): WholeCompany | null {
    const given = ADDRESS_FIELDS.flatMap((field) => [input[field]].flat()).filter(
      (each): each is string => typeof each === 'string',
    );
    const reserved = given.find(isReservedName);
    if (reserved !== undefined) return companyAt(registrableDomain(reserved) ?? reserved, this.directory);
    const { linkedin_url: page, company, name } = input as Partial<Record<string, string>>;
    if (page !== undefined) return this.directory.companyOf({ linkedin_url: page });
    // When the input has an address of a real company, its name is not looked up.
    if (given.some((each) => each !== company && each !== name)) return null;
    return this.directory.companyOf({ name: company ?? name ?? '' });
  }

  /** Searches companies by the words of their name, industry and place. If none matches, returns articles about the query. */
  private searchCompanies({ input, isMiss }: SandboxRequest, title: string): Answered {
    if (isMiss) return itemsAnswer([]);
    const query = String(input.query);
    const wanted = new Set(foldWords(query));
    const fitting = this.directory
      .companies()
      .map((company) => {
        const { name, industry, city, country } = company;
        const words = new Set(foldWords(`${name} ${industry} ${city} ${country}`));
        return { company, score: [...wanted].filter((word) => words.has(word)).length };
      })
      .filter(({ score }) => score > 0 && score * 2 >= wanted.size)
      .sort((a, b) => b.score - a.score)
      .map(({ company: { name, website, description } }) => ({
        title: name,
        url: website,
        snippet: description,
        published_at: READ_AT,
      }));
    const articles = Array.from({ length: ARTICLES }, (_, i) => articleAt(query, i, title));
    return itemsAnswer((fitting.length > 0 ? fitting : articles).slice(0, limitOf(input)));
  }

  private linkedIn({ input, company, isMiss }: SandboxRequest): Answered {
    const name = String(input.name);
    const isCompany = company !== null && foldWords(company.name).join() === foldWords(name).join();
    const [first = '', ...last] = name.split(' ');
    const person =
      isMiss || isCompany || !company || last.length === 0
        ? null
        : personNamed(
            { first_name: first, last_name: last.join(' '), domain: company.domain },
            this.directory,
          );
    const url = isCompany ? company.linkedin_url : (person?.linkedin_url ?? company?.linkedin_url ?? null);
    return foundAnswer({ linkedin_url: url, confidence: url && 'high' }, url !== null);
  }
}

function foundAnswer(output: object, isFound = true): Answered {
  return { found: isFound, output: { ...output } };
}

function itemsAnswer(list: readonly object[]): Answered {
  return { found: list.length > 0, output: { items: list } };
}

function profileAnswer(service: LookupName, values: Readonly<Record<string, unknown>> | null): Answered {
  return { found: values !== null, output: { ...(values ?? missOutput(service, {})) } };
}

function articleAt(query: string, i: number, title: string) {
  const seed = fingerprintOf(`${query}|${title}|${i}`);
  return {
    title: `${title} ${seed % 900} on ${query}`,
    url: `https://source-${seed % 9000}.example/articles/${seed}`,
    snippet: 'This page exists in the sandbox only.',
    published_at: new Date(Date.parse(READ_AT) - (1 + (seed % 525_600)) * 60_000).toISOString(),
  };
}

function pagesOf({ name, website }: WholeCompany) {
  return PATHS.map((path) => ({
    url: `${website}${path || '/'}`,
    title: path === '' ? name : `${name}: ${path.slice(1)}`,
    last_modified: READ_AT,
  }));
}

function pageOf(url: string, company: WholeCompany | null) {
  if (!company)
    return {
      url,
      status: 404,
      title: null,
      description: null,
      language: null,
      markdown: '',
      links: [],
      metadata: {},
      retrieved_at: READ_AT,
    };
  const { name, description, city, country, phone } = company;
  return {
    url,
    status: 200,
    title: name,
    description,
    language: 'en',
    markdown: `# ${name}\n\n${description}\n\n${city}, ${country}\n\nTelephone: ${phone}`,
    links: pagesOf(company).map(({ url: link, title }) => ({ url: link, text: title })),
    metadata: { 'og:title': name },
    retrieved_at: READ_AT,
  };
}

/** @throws ProviderFailure provider_rejected for a schema without properties */
function extractedAnswer({ input, company }: SandboxRequest): Answered {
  const { schema, faults } = readObjectSchema(input.schema);
  if (faults.length > 0)
    throw new ProviderFailure('provider_rejected', 'schema must have the type object and properties.', {
      provider: PROVIDER,
    });
  const pages = company ? [factsOf(structuredDataOf(company))] : [];
  const { data, basis } = new SchemaFiller(READ_AT).fillSchema(schema, pages);
  return foundAnswer(
    { data, basis },
    basis.some(({ citations }) => citations.length > 0),
  );
}

/** Returns the JSON-LD data of a company's home page. */
function structuredDataOf(company: WholeCompany): Parameters<typeof factsOf>[0] {
  const { name, website, description, phone, headcount, founded_year: founded } = company;
  const organisation = {
    '@type': 'Organization',
    name,
    url: website,
    description,
    telephone: phone,
    industry: company.industry,
    foundingDate: String(founded),
    numberOfEmployees: headcount,
    sameAs: company.linkedin_url,
    address: { '@type': 'PostalAddress', addressLocality: company.city, addressCountry: company.country },
  };
  return {
    url: `${website}/`,
    title: name,
    language: 'en',
    metadata: {},
    structured: [organisation],
    microdata: [],
    contacts: [],
    pairs: [],
  };
}

function registrationOf(domain: string, company: WholeCompany | null) {
  if (!company) return missOutput('domainInfo', { domain });
  return {
    domain: company.domain,
    // No domain was registered before 1985.
    registered_at: `${Math.max(company.founded_year, 1985)}-01-01T00:00:00.000Z`,
    expires_at: null,
    registrar: 'Sandbox registrar',
    nameservers: [`ns1.${company.domain}`, `ns2.${company.domain}`],
    mx: [{ priority: 10, host: `mx.${company.domain}` }],
    spf: 'v=spf1 mx -all',
    dmarc: 'v=DMARC1; p=reject',
    has_website: true,
    title: company.name,
  };
}

function technologiesOf(company: WholeCompany) {
  const names = companyValues(company).technologies as string[];
  return names.map((name) => ({ name, category: 'technology', evidence: 'the directory of the sandbox' }));
}

function postingsOf({ website, city, hiring_departments: departments }: WholeCompany) {
  return departments.map((id) => ({
    title: `${departmentName(id)} specialist`,
    url: `${website}/careers/${id}`,
    location: city,
    department: departmentName(id),
    posted_at: READ_AT,
    board: PROVIDER,
  }));
}

function verdictOf(email: string, company: WholeCompany | null, isMiss: boolean) {
  const mx = company && `mx.${company.domain}`;
  if (company)
    return { email, status: 'valid', reason: 'The sandbox knows the company of this address.', mx_host: mx };
  return isMiss
    ? {
        email,
        status: 'invalid',
        reason: 'The control domain asks for an address that nobody has.',
        mx_host: null,
      }
    : {
        email,
        status: 'unknown',
        reason: 'The sandbox asks no mail server of the real world.',
        mx_host: null,
      };
}
