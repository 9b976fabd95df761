import { excerpt } from '@quarry/error-codes';
import type { z } from 'zod';
import { pathText, type FaultPath } from './fault-style.js';
import { unrecognizedKey, type Fault } from './faults.js';

type Issue = z.core.$ZodIssue;

/**
 * Converts the issues of a schema: one sentence for each field, with its name.
 * @param sent the value that was validated
 * @param parent steps from the root of the request to the value
 * @param known keys that the value itself may have
 * @returns a fault for each invalid field, and for each undeclared key (at the object that contains it)
 */
export function schemaFaults(
  issues: readonly Issue[],
  sent: unknown,
  parent: FaultPath = [],
  known: readonly string[] = [],
): Fault[] {
  const faults = new Map<string, Fault>();
  for (const issue of issues)
    for (const fault of faultsOf(issue, sent, parent, known)) {
      const key = issue.code === 'unrecognized_keys' ? fault.message : pathText(fault.path);
      // The schema reports a wrong type first; its later issues of the same field only make sense for the correct type.
      if (!faults.has(key)) faults.set(key, fault);
    }
  return [...faults.values()];
}

function faultsOf(issue: Issue, sent: unknown, parent: FaultPath, known: readonly string[]): Fault[] {
  const path = [...parent, ...(issue.path as Array<string | number>)];
  const name = pathText(path) || 'the input';
  if (issue.code === 'unrecognized_keys') {
    const at = path.length === 0 ? '' : `${name}: `;
    return issue.keys.map((key) => {
      const { message, hint } = unrecognizedKey(key, issue.path.length === 0 ? known : []);
      return { path, message: at + message, hint };
    });
  }
  if (issue.code === 'custom')
    return [{ path, message: excerpt(path.length === 0 ? issue.message : faultText(name, issue.message)) }];
  const claim = valueAt(sent, issue.path) === undefined ? 'is required' : `must ${claimOf(issue)}`;
  return [{ path, message: excerpt(`${name} ${claim}`) }];
}

/** Returns a message of our own rules, with the name of the field before it. */
function faultText(name: string, message: string): string {
  return message.startsWith('must ') ? `${name} ${message}` : `${name}: ${message}`;
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'be a string',
  number: 'be a number',
  int: 'be a whole number',
  boolean: 'be true or false',
  array: 'be a list',
  object: 'be an object',
  record: 'be an object',
};

/** Returns the condition that the value must meet, to follow "must". */
function claimOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return KINDS[issue.expected] ?? `be of type ${issue.expected}`;
    case 'invalid_value':
      return `be one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'too_small':
      return sizeOf(
        issue.origin,
        issue.inclusive === false ? 'more than' : 'at least',
        Number(issue.minimum),
      );
    case 'too_big':
      return sizeOf(issue.origin, issue.inclusive === false ? 'less than' : 'at most', Number(issue.maximum));
    default:
      return 'match the format of its schema';
  }
}

function sizeOf(origin: string, how: string, limit: number): string {
  if (origin === 'string' && how === 'at least' && limit === 1) return 'not be empty';
  const many = limit === 1 ? '' : 's';
  if (origin === 'string') return `have ${how} ${limit} character${many}`;
  if (origin === 'array') return `have ${how} ${limit} item${many}`;
  return `be ${how} ${limit}`;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, step) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, step)
        ? (at as Record<PropertyKey, unknown>)[step]
        : undefined,
    value,
  );
}
