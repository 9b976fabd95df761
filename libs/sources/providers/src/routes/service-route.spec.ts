import { describe, expect, it } from '@jest/globals';
import type { Mode } from '@quarry/app';
import type { RouteStep } from '@quarry/engine';
import { wordTable } from '@quarry/vocabulary';
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

/** Parses a table of a rule, a service, the operator's providers, further facts, and the route. */
function routes(table: string): Array<[rule: string, service: string, facts: Facts, route: string]> {
  return wordTable(table, (rule, service, has, more, route) => [
    rule,
    service,
    { has, ...factsIn(more) },
    route,
  ]);
}

/** @param text facts by name, such as `off hunter; order getEmail: web` */
function factsIn(text: string): Omit<Facts, 'has'> {
  const words = (list: string): string[] => list.split(' ').filter(Boolean);
  const facts = text.split('; ').map((fact): Omit<Facts, 'has'> => {
    const [, name, service, value = ''] = /^(\w*)(?: (\w+):)? ?(.*)$/.exec(fact)!;
    if (service !== undefined) return { order: { [service]: words(value) } };
    return name === 'off' ? { off: words(value) } : { [name!]: value };
  });
  return Object.assign({}, ...facts) as Omit<Facts, 'has'>;
}

describe('the providers of a service', () => {
  it.each(
    routes(`
      none if none is available | getEmail | web:scrapeUrl |  |
      only the sandbox for test keys | getEmail | ${SANDBOX} | mode test | sandbox
      all kinds in the default order, without the sandbox if there is a vendor | getEmail | ${ALL} |  | model web acme hunter research
      the sandbox for its own world next to the web | getEmail | ${SANDBOX} web:getEmail |  | web~real sandbox~sandbox
      only the sandbox for its own world | getEmail | ${SANDBOX} |  | sandbox~sandbox
      not the sandbox as a search engine of the real web | webSearch | ${SANDBOX} |  |
      not the Deep agent if it would be the only one | getEmail | ${SANDBOX} research:getEmail,webResearch |  | sandbox~sandbox
      only the web researcher | webResearch | research:getEmail,webResearch |  | research
      only those named in the configured order | getEmail | ${ALL} | order getEmail: hunter web | hunter web
      none if the configured order is empty | getEmail | ${SANDBOX} web:getEmail | order getEmail: |
      only the sandbox if the configured order says so | getEmail | ${ALL} | order getEmail: sandbox | sandbox~sandbox
      the default ones if the configured order is for another service | getEmail | web:getEmail | order scrapeUrl: | web`),
  )('are %s', (_rule, service, facts, route) => {
    expect(routed(service, facts)).toBe(route);
  });

  const OWN = 'hunter/own:getEmail';
  it.each(
    routes(`
      its own key instead of the operator’s | getEmail | ${ALL} | own ${OWN} | model web acme hunter$ research
      its own key after all others, and not the sandbox | getEmail | ${SANDBOX} web:getEmail research:getEmail | own ${OWN} | web research hunter$
      its own key at the position in the configured order | getEmail | ${ALL} | order getEmail: hunter web; own ${OWN} | hunter$ web
      its own key after a configured order without it | getEmail | ${ALL} | order getEmail: web; own ${OWN} | web hunter$
      its own key instead of the sandbox in the configured order | getEmail | ${SANDBOX} | order getEmail: sandbox; own ${OWN} | hunter$
      still separated by world if its own key is for another service | getEmail | ${SANDBOX} web:getEmail | own hunter/own:verifyEmail | web~real sandbox~sandbox
      not the sandbox instead of a vendor that is switched off | getEmail | ${SANDBOX} hunter/vendor:getEmail | off hunter |
      the rest of the configured order without vendors that are switched off | getEmail | ${ALL} | order getEmail: hunter web; off hunter | web
      imported files after all others regardless of the order, and not the sandbox | enrichCompany | sandbox:enrichCompany web:enrichCompany pdl/vendor:enrichCompany | order enrichCompany: pdl; imported crm/imported:enrichCompany | pdl crm
      not the sandbox after a directory was imported | getEmail | ${SANDBOX} | imported |
      still the sandbox for test keys | getEmail | ${SANDBOX} | mode test; own ${OWN}; imported | sandbox`),
  )('are for an organisation %s', (_rule, service, facts, route) => {
    expect(routed(service, facts)).toBe(route);
  });

  it.each(
    routes(`
      the sandbox if there is no other | searchCompanies | ${SANDBOX} |  | sandbox~sandbox
      vendors before the web | searchCompanies | ${SEARCHERS} |  | pdl web
      not the web for people | searchPeople | ${SEARCHERS} |  | pdl
      imported files first, and own keys before the web | searchCompanies | ${SEARCHERS} | own apollo/own:searchCompanies; imported crm/imported:searchCompanies | crm pdl apollo$ web
      those in the configured order, then own keys | searchCompanies | ${SEARCHERS} | order searchCompanies: web crm; own apollo/own:searchCompanies; imported crm/imported:searchCompanies | web crm apollo$
      the web, through an own key for webSearch | searchCompanies | ${SANDBOX} web:searchCompanies | own serper/own:webSearch | web
      not the sandbox instead of the web whose search engine is switched off | searchCompanies | ${SANDBOX} web:searchCompanies searxng/vendor:webSearch | off searxng |
      not the sandbox instead of a vendor that is switched off | searchPeople | ${SEARCHERS} | off pdl |
      not the sandbox after a directory was imported | searchPeople | ${SANDBOX} | imported |`),
  )('are in a search %s', (_rule, service, facts, route) => {
    expect(routed(service, facts)).toBe(route);
  });

  it.each<[rule: string, service: string, accepted: string[] | null, stops: Record<string, string[] | null>]>(
    [
      [
        'at the statuses the operator configured, and otherwise at every find',
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
        'at the default statuses if nothing is configured, and the web at every find',
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
      ['at every find for another service', 'domainInfo', ['verified'], { dns: null }],
    ],
  )('stop %s', (_rule, service, accepted, stops) => {
    const facts = { has: ALL, own: 'findymail/own:getEmail', accepted };
    const steps = stepsOf(service, facts).map(({ provider, stopsAt }) => [provider.id, stopsAt]);
    expect(Object.fromEntries(steps)).toEqual(stops);
  });
});
