import { describe, expect, it } from '@jest/globals';
import { readPrompt } from '../read-prompt.js';
import { tableReference, type TableReference } from './table-reference.js';

const tables = [
  'Companies',
  'People',
  'Companies (selection)',
  'Germany',
  'HubSpot',
  'Leads',
  'Fintech companies',
  'S&P 500',
  'Kundenliste-2024',
  'Müller',
  'Apple',
  "Bob's leads",
].map((name) => ({ id: name, name }));

function reference(prompt: string): TableReference | null {
  const hasMeaning = (name: string) => readPrompt(name, 2025).notUnderstood.length === 0;
  return tableReference(prompt, tables, hasMeaning);
}

function named(prompt: string): string | null {
  const found = reference(prompt);
  return found?.kind === 'known' ? found.table.name : null;
}

describe('a prompt', () => {
  it.each([
    'list companies in Germany with more than 100 staff',
    'List people at companies in Germany',
    '10 marketing directors at companies using HubSpot',
    'companies with HubSpot in Berlin',
    'Build a people list of 20 CTOs in Boston',
    'a list of companies, and in the companies the CFO',
    'Companies: fintech, in Berlin',
    'people in Germany',
    'use companies in Germany',
    'fintech companies list for Paris',
    'CTOs of fintech companies',
    'search people who work in Germany',
    'exclude anyone at companies with over 500 employees',
    'from companies in Germany, the CTOs',
    'engineers at Müller',
    'companies using "Salesforce" in Germany',
    'list Apple employees in Berlin',
    '20 CTOs in Berlin, call the table "Leads"',
    '20 CTOs in Berlin and save them in a table "Leads"',
    'create a table "Leads" with CTOs in Berlin',
  ])('does not name a table by words with another meaning: %s', (prompt) => {
    expect(named(prompt)).toBeNull();
  });

  it.each([
    ['from my table "Companies": those in Berlin', 'Companies'],
    ['in the “germany” sheet, CTOs', 'Germany'],
    ['from my companies table: those in Berlin', 'Companies'],
    ['using the table Companies, those in Berlin', 'Companies'],
    ['from my leads: CTOs only', 'Leads'],
    ['filter my people list to CTOs', 'People'],
    ['in our HubSpot import, companies in Berlin', 'HubSpot'],
    ['from my Fintech companies, the ones in Paris', 'Fintech companies'],
    ['from my Companies (selection): those in Paris', 'Companies (selection)'],
    ['industrials in the S&P 500 founded before 1950', 'S&P 500'],
    ['From S&P 500: industrials', 'S&P 500'],
    ['S&P 500: industrials', 'S&P 500'],
    ['industrials of the S&P 500 list', 'S&P 500'],
    ['using kundenliste 2024, everybody in Vienna', 'Kundenliste-2024'],
    ['from the table "Muller", everybody', 'Müller'],
    ['From “Germany” the companies in Berlin', 'Germany'],
    ['companies using "HubSpot" from "Leads"', 'Leads'],
    ['From my table "Bob\'s leads": those in Berlin', "Bob's leads"],
    ['Show me the "Leads" table, only Berlin', 'Leads'],
    ['Leads table: only Berlin', 'Leads'],
    ['table Leads, only Berlin', 'Leads'],
    ['My leads in Berlin', 'Leads'],
    ['Build a list from my table "Leads": CTOs', 'Leads'],
  ])('names a table: %s', (prompt, table) => {
    expect(named(prompt)).toBe(table);
  });

  it.each([
    ['CTOs in Berlin that are not in my table "Leads"', 'not in my table "Leads"'],
    ['CTOs in Berlin, excluding those in my list "Leads"', 'excluding those in my list "Leads"'],
  ])('does not use a table whose rows it excludes: %s', (prompt, text) => {
    expect(reference(prompt)).toMatchObject({ kind: 'excluded', text });
    expect(reference(prompt)?.prompt).not.toContain('Leads');
  });

  it.each(['filter the table "Nope" to Berlin', 'From my table Nope: CTOs', 'in my list "Nope", CTOs'])(
    'is reported if there is no such table: %s',
    (prompt) => expect(reference(prompt)?.kind).toBe('unknown'),
  );
});
