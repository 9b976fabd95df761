import {
  COMPANY_ATTRIBUTES,
  type CompanyKey,
  type CompanyRecord,
  companyValues,
  PERSON_ATTRIBUTES,
  type PersonKey,
  type PersonRecord,
  personValues,
} from '@quarry/directory';
import { answerOf, type LookupProvider, type ProviderAnswer, type ProviderCall } from '@quarry/engine';

type Values = Readonly<Record<string, unknown>>;
type Input = Partial<Record<'domain' | 'linkedin_url' | 'name' | 'first_name' | 'last_name', string>>;

const nothingOf = (attributes: typeof COMPANY_ATTRIBUTES | typeof PERSON_ATTRIBUTES, prefix = ''): Values =>
  Object.fromEntries(
    attributes.map(({ key, kind }) => [
      prefix + key,
      ['list', 'experiences', 'educations'].includes(kind) ? [] : null,
    ]),
  );
const NO_COMPANY = nothingOf(COMPANY_ATTRIBUTES);
const NO_PERSON = { ...nothingOf(PERSON_ATTRIBUTES), ...nothingOf(COMPANY_ATTRIBUTES, 'company_') };

/** Implements enrichCompany with one imported directory. */
export class ImportedCompanyLookup implements LookupProvider {
  readonly services = ['enrichCompany'];

  /** @param id of the provider, `directory:<name>` */
  constructor(
    readonly id: string,
    private readonly findCompany: (key: CompanyKey) => Promise<CompanyRecord | null>,
  ) {}

  acceptsCall({ input }: Pick<ProviderCall, 'input'>): boolean {
    return ['domain', 'linkedin_url', 'name'].some((key) => typeof input[key] === 'string');
  }

  async answerCall({ input }: ProviderCall): Promise<ProviderAnswer> {
    const { domain, linkedin_url, name } = input as Input;
    const key =
      domain !== undefined
        ? { domain }
        : linkedin_url !== undefined
          ? { linkedin_url }
          : { name: name ?? '' };
    const company = await this.findCompany(key);
    return answerOf(this.id, company !== null, company ? companyValues(company) : NO_COMPANY);
  }
}

/** Implements enrichPerson with one imported directory. */
export class ImportedPersonLookup implements LookupProvider {
  readonly services = ['enrichPerson'];

  /** @param id of the provider, `directory:<name>` */
  constructor(
    readonly id: string,
    private readonly findPerson: (key: PersonKey) => Promise<PersonRecord | null>,
  ) {}

  acceptsCall({ input }: Pick<ProviderCall, 'input'>): boolean {
    const { linkedin_url, first_name, last_name, domain } = input as Input;
    return linkedin_url !== undefined || [first_name, last_name, domain].every((text) => text !== undefined);
  }

  async answerCall({ input }: ProviderCall): Promise<ProviderAnswer> {
    const person = await this.findPerson(input as Input);
    return answerOf(this.id, person !== null, person ? personValues(person) : NO_PERSON);
  }
}
