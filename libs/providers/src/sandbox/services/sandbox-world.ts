import { foldText } from '@quarry/directory';
import { registrableDomain } from '@quarry/dto';
import { isReservedName } from '../../reserved-names.js';
import type { SandboxDirectory } from '../directory/index.js';
import { controlOutcome } from './control-domain.js';

/**
 * Tells fiction from facts where both could answer. To the sandbox belong names that are reserved for examples and tests, control
 * domains among them, and people of its own directory, where nothing that is given says otherwise; who is looked for at a public domain is real, whatever they are called.
 * @param input of getEmail or getPhoneNumber
 */
export function isOfSandbox(
  input: Readonly<Record<string, unknown>>,
  directory: Pick<SandboxDirectory, 'personOf'>,
): boolean {
  if (controlOutcome(input) !== null) return true;
  const { first_name: first, last_name: last, company, domain, linkedin_url: profile } = input;
  if ([domain, company, profile].some((each) => typeof each === 'string' && isReservedName(each)))
    return true;
  if (typeof domain === 'string' && registrableDomain(domain) !== null) return false;
  const person = directory.personOf({
    ...(isFilled(profile) ? { linkedin_url: profile } : {}),
    ...(isFilled(first) ? { first_name: first } : {}),
    ...(isFilled(last) ? { last_name: last } : {}),
    ...(isFilled(company) ? { company } : {}),
  });
  if (person === null) return false;
  // A profile may be called as that of a real person is: their names and their company tell the two apart.
  return [
    [first, person.first_name],
    [last, person.last_name],
    [company, person.company.name],
  ].every(([given, own]) => !isFilled(given) || foldText(given) === foldText(own as string));
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
