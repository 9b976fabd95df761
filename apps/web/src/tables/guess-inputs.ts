import type { Service, Table } from '../api/resources';

interface InputProperty {
  readonly description?: string;
  readonly type?: string;
}

/** The inputs of a service by name, as its schema describes them. */
export function inputProperties(service: Service): Array<readonly [string, InputProperty]> {
  return Object.entries((service.input_schema.properties ?? {}) as Record<string, InputProperty>);
}

const fold = (text: string) => text.toLowerCase().replace(/[^a-z0-9]+/g, '');

/** Other words under which tables usually have an input. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  company: ['companyname', 'organisation', 'organization', 'employer'],
  name: ['companyname', 'fullname'],
  domain: ['companydomain', 'website', 'companywebsite'],
  url: ['website', 'companywebsite', 'homepage'],
  email: ['workemail', 'emailaddress'],
  phone: ['phonenumber', 'telephone'],
  linkedin_url: ['linkedin', 'linkedinurl', 'linkedinprofile'],
  first_name: ['firstname', 'givenname'],
  last_name: ['lastname', 'surname', 'familyname'],
};
const KINDS: Readonly<Record<string, string>> = {
  domain: 'domain',
  url: 'url',
  email: 'email',
  phone: 'phone',
  linkedin_url: 'linkedin_url',
};

/** @returns for each input of the service the column that it most likely means; inputs that no column gives are left out */
export function guessInputs(service: Service, { columns }: Table): Record<string, string> {
  const guesses: Record<string, string> = {};
  for (const [input] of inputProperties(service)) {
    const words = [fold(input), ...(ALSO[input] ?? [])];
    const byName = words.flatMap((word) =>
      columns.filter(({ key, name }) => fold(key) === word || fold(name) === word),
    );
    const column = byName[0] ?? columns.find(({ kind }) => kind === KINDS[input]);
    if (column) guesses[input] = column.key;
  }
  return guesses;
}

/** @returns the fields of a service's answer that a column can show, the likely one first */
export function outputFields(service: Service): string[] {
  const names = Object.keys((service.output_schema.properties ?? {}) as object);
  return names.filter((name) => !['found', 'ok', 'provider', 'retrieved_at'].includes(name));
}
