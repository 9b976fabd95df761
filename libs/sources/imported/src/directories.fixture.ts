import { writeFile } from 'node:fs/promises';
import { companyValues, type CompanyRecord, type PersonRecord } from '@quarry/directory';
import type { Database } from '@quarry/postgres';
import { DirectoryImporter, type ImportReport } from './import/directory-importer.js';
import { findMapping } from './import/find-mapping.js';
import type { DirectoryKind } from './tables/target-fields.catalogue.js';
import { JsonLinesFile } from './import/json-lines.file.js';

/** Writes records to a JSON Lines file with all their fields. @returns its path */
export async function writeRecords(
  path: string,
  records: ReadonlyArray<CompanyRecord | PersonRecord>,
): Promise<string> {
  await writeFile(path, records.map((record) => `${JSON.stringify(columnsOf(record))}\n`).join(''));
  return path;
}

function columnsOf(record: CompanyRecord | PersonRecord): Record<string, unknown> {
  if (!('company' in record)) return companyColumns(record, '');
  const { company, country_code: _, ...person } = record;
  return { ...person, ...companyColumns(company, 'company_') };
}

/** Uses names instead of the ids of industries, as files do; the other ids are words that the import understands. */
function companyColumns(company: CompanyRecord, prefix: string): Record<string, unknown> {
  const { id, business_model, ownership, funding_stage, technologies, hiring_departments } = company;
  const ids = { id, business_model, ownership, funding_stage, technologies, hiring_departments };
  const columns = Object.entries({ ...companyValues(company), ...ids });
  return Object.fromEntries(columns.map(([key, value]) => [prefix + key, value]));
}

/** Imports a JSON Lines file as the command does. */
export async function importFile(
  database: Database,
  kind: DirectoryKind,
  name: string,
  path: string,
): Promise<ImportReport> {
  const file = await JsonLinesFile.open(path);
  const mapping = findMapping(kind, file.header);
  return new DirectoryImporter(database).importFile({ kind, name, file, mapping, source: 'spec' });
}
