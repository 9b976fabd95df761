// Fields and filters of companies and people, from the table of attributes: parts of docs/directories.md and docs/contract.md.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findService, jsonSchemasOf } from '@quarry/service-catalog';

const PART = /(<!-- generated: directory fields -->\n)[^]*?(<!-- \/generated -->)/;

const listed = (names) => names.map((name) => `\`${name}\``).join(', ');
const schemasOf = (service) => jsonSchemasOf(findService(service));
const filtersOf = (service) =>
  Object.keys(schemasOf(service).input.properties).filter((name) => name !== 'limit');
const fieldsOf = (service) => Object.keys(schemasOf(service).output.properties.items.items.properties);

const TEXTS = {
  'docs/directories.md': () => `Fields of companies: ${listed(fieldsOf('searchCompanies'))}.

Fields of people: ${listed(fieldsOf('searchPeople').filter((name) => !name.startsWith('company_')))}.`,
  'docs/contract.md': () => `Filters of \`searchCompanies\`: ${listed(filtersOf('searchCompanies'))}.

Filters of \`searchPeople\`: ${listed(filtersOf('searchPeople'))}.`,
};

/** @returns the pages with their parts regenerated */
export async function renderAll(root) {
  return Object.entries(TEXTS).map(([path, render]) => {
    const page = readFileSync(join(root, path), 'utf8');
    if (!PART.test(page)) throw new Error(`${path} has lost the marks of its directory fields.`);
    return { path, text: page.replace(PART, (_, open, close) => `${open}\n${render()}\n\n${close}`) };
  });
}
