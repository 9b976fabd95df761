import { describe, expect, it } from '@jest/globals';
import type { Mode } from '@quarry/app';
import type { RouteStep } from '@quarry/engine';
import { routeOf, type Candidate, type ProviderKind, type RouteFacts } from './service-route.js';

/**
 * @param text such as `web:getEmail,getPhoneNumber`: the id, `/` and the kind if it differs from the id, and the services
 */
function candidate(text: string): Candidate {
  const [name, services] = text.split(':') as [string, string];
  const [id, kind = id] = name.split('/') as [string, string?];
  return { id, kind: kind as ProviderKind, services: services.split(',') };
}

interface Facts {
  mode?: Mode;
  /** Providers of the operator, separated by spaces. */
  has: string;
  order?: Record<string, string[]>;
  accepted?: string[] | null;
  own?: string;
  off?: string[];
  /** Imported directories. When set, even to an empty text, the installation has had one. */
  imported?: string;
}

function stepsOf(
  service: string,
  { mode = 'live', has, order = {}, accepted = null, own, off = [], imported }: Facts,
): Array<RouteStep<Candidate>> {
  const listed = (text = ''): Candidate[] => text.split(' ').filter(Boolean).map(candidate);
  const tenant = {
    own: listed(own),
    off: new Set(off),
    imported: listed(imported),
    hasHadDirectory: imported !== undefined,
  };
  const facts: RouteFacts<Candidate> = { mode, operators: listed(has), order, accepted, tenant };
  return routeOf(service, facts);
}

/**
 * @returns each step as `id`, followed by `~` and its data if restricted (`web~real`); `$` means that the organisation pays
 */
function routed(service: string, facts: Facts): string {
  return stepsOf(service, facts)
    .map(
      ({ provider: { id }, worlds, paidBy }) =>
        `${id}${worlds === 'any' ? '' : `~${worlds}`}${paidBy === 'organisation' ? '$' : ''}`,
    )
    .join(' ');
}

const SANDBOX = 'sandbox:getEmail,webSearch,webResearch,searchCompanies,searchPeople';
const ALL = `${SANDBOX} research:getEmail,webResearch hunter/vendor:getEmail acme/operator:getEmail dns/web:domainInfo web:getEmail model:getEmail`;
const SEARCHERS = `${SANDBOX} web:searchCompanies searxng/vendor:webSearch pdl/vendor:searchCompanies,searchPeople`;

describe('who answers a service', () => {
  it.each<[rule: string, service: string, facts: Facts, route: string]>([
    ['nobody where there is nobody', 'getEmail', { has: 'web:scrapeUrl' }, ''],
    ['the sandbox alone for test keys', 'getEmail', { mode: 'test', has: SANDBOX }, 'sandbox'],
    [
      'all kinds in the usual order, without the sandbox where a vendor is',
      'getEmail',
      { has: ALL },
      'model web acme hunter research',
    ],
    [
      'the sandbox about its own world beside the web',
      'getEmail',
      { has: `${SANDBOX} web:getEmail` },
      'web~real sandbox~sandbox',
    ],
    ['the sandbox about its own world alone', 'getEmail', { has: SANDBOX }, 'sandbox~sandbox'],
    ['no sandbox as an engine of the real web', 'webSearch', { has: SANDBOX }, ''],
    [
      'no Deep agent where it would be alone',
      'getEmail',
      { has: `${SANDBOX} research:getEmail,webResearch` },
      'sandbox~sandbox',
    ],
    ['who researches the web, alone', 'webResearch', { has: 'research:getEmail,webResearch' }, 'research'],
    [
      'whom the order names, and nobody else',
      'getEmail',
      { has: ALL, order: { getEmail: ['hunter', 'web'] } },
      'hunter web',
    ],
    [
      'nobody where the order names nobody',
      'getEmail',
      { has: `${SANDBOX} web:getEmail`, order: { getEmail: [] } },
      '',
    ],
    [
      'the sandbox alone where the order says so',
      'getEmail',
      { has: ALL, order: { getEmail: ['sandbox'] } },
      'sandbox~sandbox',
    ],
    [
      'the usual ones where the order is of another service',
      'getEmail',
      { has: 'web:getEmail', order: { scrapeUrl: [] } },
      'web',
    ],
  ])('is %s', (_rule, service, facts, route) => {
    expect(routed(service, facts)).toBe(route);
  });

  const OWN = 'hunter/own:getEmail';
  it.each<[rule: string, service: string, facts: Facts, route: string]>([
    [
      'its own key in the place of the operator’s',
      'getEmail',
      { has: ALL, own: OWN },
      'model web acme hunter$ research',
    ],
    [
      'its own key behind all others, and without the sandbox',
      'getEmail',
      { has: `${SANDBOX} web:getEmail research:getEmail`, own: OWN },
      'web research hunter$',
    ],
    [
      'its own key in the place that the order names',
      'getEmail',
      { has: ALL, order: { getEmail: ['hunter', 'web'] }, own: OWN },
      'hunter$ web',
    ],
    [
      'its own key behind an order that does not name it',
      'getEmail',
      { has: ALL, order: { getEmail: ['web'] }, own: OWN },
      'web hunter$',
    ],
    [
      'its own key in the place of the sandbox of the order',
      'getEmail',
      { has: SANDBOX, order: { getEmail: ['sandbox'] }, own: OWN },
      'hunter$',
    ],
    [
      'the worlds apart where its own key is for another service',
      'getEmail',
      { has: `${SANDBOX} web:getEmail`, own: 'hunter/own:verifyEmail' },
      'web~real sandbox~sandbox',
    ],
    [
      'nobody in the place of a vendor that is switched off',
      'getEmail',
      { has: `${SANDBOX} hunter/vendor:getEmail`, off: ['hunter'] },
      '',
    ],
    [
      'what is left of an order',
      'getEmail',
      { has: ALL, order: { getEmail: ['hunter', 'web'] }, off: ['hunter'] },
      'web',
    ],
    [
      'imported files behind all others, whatever the order says, and no sandbox',
      'enrichCompany',
      {
        has: 'sandbox:enrichCompany web:enrichCompany pdl/vendor:enrichCompany',
        order: { enrichCompany: ['pdl'] },
        imported: 'crm/imported:enrichCompany',
      },
      'pdl crm',
    ],
    ['no sandbox once a directory was imported', 'getEmail', { has: SANDBOX, imported: '' }, ''],
    [
      'the sandbox for test keys all the same',
      'getEmail',
      { mode: 'test', has: SANDBOX, imported: '', own: OWN },
      'sandbox',
    ],
  ])('is for an organisation %s', (_rule, service, facts, route) => {
    expect(routed(service, facts)).toBe(route);
  });

  it.each<[rule: string, service: string, facts: Facts, route: string]>([
    ['the sandbox where nobody is', 'searchCompanies', { has: SANDBOX }, 'sandbox~sandbox'],
    ['vendors before the web', 'searchCompanies', { has: SEARCHERS }, 'pdl web'],
    ['no web for people', 'searchPeople', { has: SEARCHERS }, 'pdl'],
    [
      'imported files first, and own keys before the web',
      'searchCompanies',
      {
        has: SEARCHERS,
        own: 'apollo/own:searchCompanies',
        imported: 'crm/imported:searchCompanies',
      },
      'crm pdl apollo$ web',
    ],
    [
      'whom the order names, and own keys behind them',
      'searchCompanies',
      {
        has: SEARCHERS,
        order: { searchCompanies: ['web', 'crm'] },
        own: 'apollo/own:searchCompanies',
        imported: 'crm/imported:searchCompanies',
      },
      'web crm apollo$',
    ],
    [
      'the web by an own key for webSearch',
      'searchCompanies',
      { has: `${SANDBOX} web:searchCompanies`, own: 'serper/own:webSearch' },
      'web',
    ],
    [
      'no sandbox in the place of the web whose engine is switched off',
      'searchCompanies',
      { has: `${SANDBOX} web:searchCompanies searxng/vendor:webSearch`, off: ['searxng'] },
      '',
    ],
    [
      'no sandbox in the place of a vendor that is switched off',
      'searchPeople',
      { has: SEARCHERS, off: ['pdl'] },
      '',
    ],
    ['no sandbox once a directory was imported', 'searchPeople', { has: SANDBOX, imported: '' }, ''],
  ])('is in a search %s', (_rule, service, facts, route) => {
    expect(routed(service, facts)).toBe(route);
  });

  it.each<[rule: string, service: string, accepted: string[] | null, stops: Record<string, string[] | null>]>(
    [
      [
        'as the operator has said, and elsewhere at every find',
        'getEmail',
        ['verified'],
        {
          model: null,
          web: ['verified'],
          acme: null,
          hunter: ['verified'],
          findymail: ['verified'],
          research: null,
        },
      ],
      [
        'at what is usual where the operator has not said; the web judges what is printed',
        'getEmail',
        null,
        {
          model: null,
          web: null,
          acme: null,
          research: null,
          hunter: ['verified', 'catch_all'],
          findymail: ['verified', 'catch_all'],
        },
      ],
      ['at every find of another service', 'domainInfo', ['verified'], { dns: null }],
    ],
  )('stops %s', (_rule, service, accepted, stops) => {
    const facts = { has: ALL, own: 'findymail/own:getEmail', accepted };
    const steps = stepsOf(service, facts).map(({ provider, stopsAt }) => [provider.id, stopsAt]);
    expect(Object.fromEntries(steps)).toEqual(stops);
  });
});
