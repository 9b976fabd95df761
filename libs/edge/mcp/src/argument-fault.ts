import type { z } from 'zod';

/** Names of value types, as in the routes of the API. */
const KINDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const UNITS: Readonly<Record<string, readonly [string, string]>> = {
  string: ['character', 'characters'],
  array: ['item', 'items'],
};

/**
 * Returns the fault of an argument, in the words of the API's routes.
 * @param place path of the argument; empty for all arguments together
 */
export function argumentFault(issue: z.core.$ZodIssue, place: string): string {
  const rule = ruleOf(issue);
  if (rule !== null) return `${place === '' ? 'The arguments' : place} ${rule}`;
  return place === '' ? issue.message : `${place}: ${issue.message}`;
}

function ruleOf(issue: z.core.$ZodIssue): string | null {
  switch (issue.code) {
    case 'invalid_type':
      // The issue does not contain the value: only the message shows that it is missing.
      if (issue.message.endsWith('received undefined')) return 'is required';
      return `must be ${KINDS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'too_big':
      return boundOf('most', issue.maximum, issue.origin);
    case 'too_small':
      return boundOf('least', issue.minimum, issue.origin);
    default:
      return null;
  }
}

function boundOf(end: 'most' | 'least', bound: number | bigint, origin: string): string {
  const unit = UNITS[origin];
  if (unit === undefined) return `must be at ${end} ${bound}`;
  return `must have at ${end} ${bound} ${Number(bound) === 1 ? unit[0] : unit[1]}`;
}
