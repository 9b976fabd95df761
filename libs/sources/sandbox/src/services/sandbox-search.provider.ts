import {
  type CompanyDirectory,
  type CompanyQuery,
  companyValues,
  type PeopleDirectory,
  type PeopleQuery,
  personValues,
} from '@quarry/directory';
import type { DirectorySearchCall, DirectorySearchProvider, FoundPage } from '@quarry/engine';
import { controlOutcome } from './control-domain.js';
import { SandboxControls } from './sandbox-controls.js';

const PROVIDER = 'sandbox';

/**
 * Searches the fictional directory. A control domain among the filters decides the outcome of the call and does not filter:
 * when the outcome is a success, the other filters select the records.
 */
export class SandboxSearchProvider implements DirectorySearchProvider {
  readonly id = PROVIDER;
  readonly services = ['searchCompanies', 'searchPeople'] as const;
  private readonly controls = new SandboxControls();

  constructor(private readonly directory: CompanyDirectory & PeopleDirectory) {}

  async answerCall(call: DirectorySearchCall): Promise<FoundPage> {
    const control = await this.controls.obeyControl(call.input, call);
    if (control?.kind === 'miss') return pageOf([], true);
    const { limit, offset, wanted } = call;
    if (wanted.entity === 'company') {
      const { items, total } = await this.directory.searchCompanies(withoutControls(wanted.query), {
        limit,
        offset,
      });
      return pageOf(items.map(companyValues), offset + limit >= total);
    }
    const { company = {}, ...person } = wanted.query;
    const query = { ...withoutControls(person), company: withoutControls(company) };
    const { items, total } = await this.directory.searchPeople(query, { limit, offset });
    return pageOf(items.map(personValues), offset + limit >= total);
  }
}

/** @returns the query without control domains; a filter that contains nothing else is removed */
function withoutControls<Query extends CompanyQuery | PeopleQuery>(query: Query): Query {
  const kept = Object.entries(query).map(([name, values]: [string, unknown]) => [
    name,
    Array.isArray(values) ? values.filter((value: unknown) => !isControl(value)) : values,
  ]);
  const given = kept.filter(
    ([name, values]) => !isEmptyList(values) || isEmptyList(query[name as keyof Query]),
  );
  return Object.fromEntries(given) as Query;
}

function isControl(value: unknown): boolean {
  return typeof value === 'string' && controlOutcome(value) !== null;
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function pageOf(items: FoundPage['output']['items'], isLast: boolean): FoundPage {
  return { found: items.length > 0, deep: false, provider: PROVIDER, output: { items }, isLast };
}
