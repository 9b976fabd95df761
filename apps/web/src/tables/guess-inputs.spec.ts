import { describe, expect, it } from '@jest/globals';
import type { Column, Row, Service, Table } from '../api/resources';
import { guessInputs, leadsToPeople, outputFields } from './guess-inputs';

const tableOf = (...columns: Array<Partial<Column>>) =>
  ({ columns: columns.map((column) => ({ kind: 'text', name: column.key, ...column })) }) as unknown as Table;
const rowOf = (values: Record<string, unknown>) => ({ values }) as unknown as Row;
const LINKEDIN = { key: 'linkedin_url', kind: 'linkedin_url' } as const;

describe('a table is about people', () => {
  it('if a column names one', () => {
    expect(leadsToPeople(tableOf({ key: 'full_name' }, { key: 'domain' }), undefined)).toBe(true);
    expect(leadsToPeople(tableOf({ key: 'c1', name: 'First name' }), undefined)).toBe(true);
    expect(leadsToPeople(tableOf({ key: 'name' }, { key: 'title' }), undefined)).toBe(true);
  });

  it('if it has LinkedIn URLs, unless they are of companies', () => {
    const table = tableOf({ key: 'name' }, { key: 'last_funding_date' }, LINKEDIN);
    const of = (address: string) => rowOf({ linkedin_url: address });
    expect(leadsToPeople(table, of('https://www.linkedin.com/in/ada'))).toBe(true);
    expect(leadsToPeople(table, of('https://www.linkedin.com/company/dunera'))).toBe(false);
    expect(leadsToPeople(table, undefined)).toBe(true);
    expect(leadsToPeople(table, rowOf({}))).toBe(true);
  });

  it('but not if it has columns of companies', () => {
    expect(leadsToPeople(tableOf({ key: 'name' }, { key: 'domain' }), undefined)).toBe(false);
  });
});

describe('the default inputs of a service about a person', () => {
  const properties = { first_name: {}, last_name: {}, company: {}, domain: {} };
  const service = { input_schema: { properties } } as unknown as Service;

  it('use one column for both names if it has the full name', () => {
    const table = tableOf({ key: 'full_name' }, { key: 'company' }, { key: 'website' });
    expect(guessInputs(service, table)).toEqual({
      first_name: 'full_name',
      last_name: 'full_name',
      company: 'company',
      domain: 'website',
    });
  });

  it('use separate name columns if there are any', () => {
    const table = tableOf({ key: 'name' }, { key: 'first_name' }, { key: 'surname' });
    expect(guessInputs(service, table)).toEqual({ first_name: 'first_name', last_name: 'surname' });
  });

  it('are found under German and French headings, too', () => {
    const german = tableOf({ key: 'Vorname' }, { key: 'Nachname' }, { key: 'Firma' }, { key: 'Webseite' });
    expect(guessInputs(service, german)).toEqual({
      first_name: 'Vorname',
      last_name: 'Nachname',
      company: 'Firma',
      domain: 'Webseite',
    });
    const french = tableOf({ key: 'c1', name: 'Prénom' }, { key: 'c2', name: 'Nom' });
    expect(guessInputs(service, french)).toEqual({ first_name: 'c1', last_name: 'c2' });
    expect([german, french].map((table) => leadsToPeople(table, undefined))).toEqual([true, true]);
  });
});

describe('the default inputs of a service about a company', () => {
  const properties = { domain: {}, linkedin_url: {}, name: {} };
  const service = { input_schema: { properties } } as unknown as Service;

  it('are its own in a table of people, and not those of the person', () => {
    const table = tableOf({ key: 'full_name' }, { key: 'company' }, { key: 'domain' }, LINKEDIN);
    expect(guessInputs(service, table)).toEqual({ domain: 'domain', name: 'company' });
    expect(guessInputs(service, tableOf({ key: 'name' }, LINKEDIN))).toEqual({
      linkedin_url: 'linkedin_url',
      name: 'name',
    });
  });
});

describe('the output fields of a service', () => {
  const fieldsOf = (inputs: string[], outputs: Record<string, object>) =>
    outputFields({
      input_schema: { properties: Object.fromEntries(inputs.map((name) => [name, {}])) },
      output_schema: { properties: outputs },
    } as unknown as Service);

  it('start with fields that are no inputs', () => {
    expect(fieldsOf(['email'], { email: {}, status: {}, provider: {} })).toEqual(['status', 'email']);
  });

  it('are those of the items if it returns a list', () => {
    const items = { items: { properties: { name: {}, category: {} } } };
    expect(fieldsOf(['domain'], { items })).toEqual(['items.name', 'items.category']);
  });
});
