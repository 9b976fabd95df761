// Providers of each service, and the requirements of each vendor: the tables of docs/providers.md.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfiguredProviders } from '@quarry/providers';
import { VENDORS } from '@quarry/vendors';
import { allServices } from '@quarry/service-catalog';
import { table } from './error-page.mjs';

export const path = 'docs/providers.md';

const PART = /(<!-- generated: providers -->\n)[^]*?(<!-- \/generated -->)/;
/** Catalogue options that set every variable, so that all vendors are included. */
const catalogue = {
  file: { accept: { getEmail: ['verified', 'catch_all', 'unverified'] } },
  variable: (name) => (name.endsWith('_URL') ? 'https://own.example' : 'key'),
};

export async function render(root, before) {
  const web = { allowHosts: [], dnsServers: [] };
  // Same as the provider of libs/domains/research.
  const research = () => ({ id: 'research', services: ['webResearch', 'getEmail', 'getPhoneNumber'] });
  const everybody = new ConfiguredProviders({ sandbox: false, web, catalogue, research });
  const names = allServices().map(({ name }) => name);
  const orders = names
    // Imported directories, whose names vary, would come first.
    .map((name) => [`\`${name}\``, everybody.routeOf(name, 'live').map(({ provider }) => provider.id)])
    .filter(([, ids]) => ids.length > 0)
    .map(([name, ids]) => [name, ids.map((id) => `\`${id}\``).join(', ')]);
  const vendors = VENDORS.map(({ id, title, docs, key, base, limits }) => [
    `\`${id}\``,
    `[${title}](${docs})`,
    [key?.env, typeof base === 'string' ? null : base.env]
      .filter(Boolean)
      .map((name) => `\`${name}\``)
      .join(', '),
    limitsOf(limits),
  ]);
  const services = names.flatMap((name) =>
    VENDORS.flatMap(({ id, services: { [name]: service }, searches: { [name]: search } = {} }) => {
      const answered = service ?? search;
      if (!answered) return [];
      const statuses = answered.statuses?.map((each) => `\`${each}\``).join(', ') ?? '';
      return [[`\`${name}\``, `\`${id}\``, answered.needs, answered.price, statuses]];
    }),
  );
  const settings = VENDORS.flatMap(({ id, settings: all = {} }) =>
    Object.entries(all).map(([name, each]) => [
      `\`${id}\``,
      `\`${name}\``,
      `\`${each.default}\``,
      each.description,
    ]),
  );
  const text = `### Providers of each service, in default order

${table(['Service', 'Providers'], orders)}

### Vendors

${table(['Vendor', 'Documentation', 'Variables', 'Limits in one process'], vendors)}

### Inputs and prices

${table(['Service', 'Vendor', 'Required input', 'Price', 'Statuses found'], services)}

### Settings

${table(['Vendor', 'Setting', 'Default', 'Meaning'], settings)}`;
  const page = before ?? readFileSync(join(root, path), 'utf8');
  if (!PART.test(page)) throw new Error('docs/providers.md has lost the marks of its tables.');
  return page.replace(PART, (_, open, close) => `${open}\n${text}\n\n${close}`);
}

function limitsOf({ perSecond, perMinute, concurrency }) {
  return [
    perSecond && `${perSecond} a second`,
    perMinute && `${perMinute} a minute`,
    `${concurrency} at once`,
  ]
    .filter(Boolean)
    .join(', ');
}
