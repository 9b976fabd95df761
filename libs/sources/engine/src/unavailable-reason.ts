import type { Mode } from '@quarry/app';

/** Returns the ids of all vendors that support a service, with or without a configured key. */
export type VendorsOf = (service: string) => readonly string[];

/** Ways other than a vendor's key to enable a service. */
const OTHERWISE: Readonly<Record<string, string>> = {
  webResearch: 'It needs a language model and a search engine, which the operator configures.',
};

const WHOSE = "the operator's, or one of your own (PUT /v1/providers/{vendor})";
const PERSON = 'a first and a last name, and the name of a company or a public domain of its own';
/** Inputs with which the web provider can serve a service without any key. */
const WEB_NEEDS: Readonly<Record<string, string>> = { getEmail: PERSON, getPhoneNumber: PERSON };

/**
 * Explains why no provider of a service can work with an input, and what would help.
 * @param vendorIds ids of the providers of the service
 * @returns one or two sentences for customers, without secrets
 */
export function tooLittleReason(service: string, vendorIds: readonly string[], vendorsOf: VendorsOf): string {
  const little = 'The input is not enough for the providers of this service.';
  const needs = vendorIds.includes('web') ? WEB_NEEDS[service] : undefined;
  if (needs === undefined) return little;
  const others = vendorsOf(service).filter((id) => !vendorIds.includes(id));
  const also = others.length === 0 ? '' : ` Others may be found with a key at ${orOf(others)}: ${WHOSE}.`;
  return `${little} The web needs ${needs}.${also}`;
}

/**
 * Explains why no provider implements a service, and which could.
 * @param service name in the catalogue
 * @param mode of the key that makes the request
 * @returns one or two sentences for customers, without secrets
 */
export function unavailableReason(service: string, mode: Mode, vendorsOf: VendorsOf): string {
  const nobody = 'No provider for this service is configured.';
  if (mode === 'test') return `${nobody} Test keys use only the sandbox, which does not answer it.`;
  const vendors = vendorsOf(service);
  if (vendors.length === 0) return `${nobody} ${OTHERWISE[service] ?? 'The operator has switched it off.'}`;
  const also = service.startsWith('search')
    ? ' So does a directory that the operator has imported.'
    : service in WEB_NEEDS
      ? ' So does the web, which the operator has switched off.'
      : '';
  return `${nobody} A key at ${orOf(vendors)} answers it: ${WHOSE}.${also}`;
}

/**
 * Returns the reason why a live key gets no result where only the sandbox serves a service, and which providers could serve
 * it.
 */
export function outsideSandboxReason(service: string, vendorsOf: VendorsOf): string {
  return `The sandbox knows only its own fictional companies and people. ${unavailableReason(service, 'live', vendorsOf)}`;
}

function orOf(ids: readonly string[]): string {
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(ids);
}
