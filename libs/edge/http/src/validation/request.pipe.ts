import type { PipeTransform } from '@nestjs/common';
import { faultsError, type Fault, type FaultStyle } from '@quarry/dto';
import { readDeclared, readDeclaredInTurns } from './declared-input.js';
import { parseQuery } from './query-text.js';

type Declared<T> = new () => T;

/** A pipe that tells which class it reads, for the description of the API. */
export interface RequestPipe<In, Read, Out = Read> extends PipeTransform<In, Out> {
  readonly reads: Declared<Read>;
}

/**
 * Pipe for `@Query`: reads the query's text as the declared class.
 * @throws AppError naming every unknown, repeated or faulty parameter
 */
export function queryOf<T extends object>(
  type: Declared<T>,
  style: FaultStyle = 'resources',
): RequestPipe<string, T> {
  // Most reads have no query, whose value is validated once: validation of each took a ninth of a read's CPU.
  let ofNone: T | null = null;
  return {
    reads: type,
    transform: (text) => {
      if (text === '' && ofNone) return Object.assign(new type(), ofNone);
      const { values, faults } = parseQuery(text);
      const read = readDeclared(type, values);
      if (faults.length > 0 || read.faults.length > 0) throw faultsError(style, [...faults, ...read.faults]);
      if (text === '') ofNone = Object.assign(new type(), read.value);
      return read.value;
    },
  };
}

/**
 * Pipe for `@Body`: reads the parsed body as the declared class.
 * @param alsoValidate further faults that decorators cannot tell, from the body as it was sent
 * @returns a pipe that rejects with an AppError naming every unknown or faulty field
 */
export function bodyOf<T extends object>(
  type: Declared<T>,
  style: FaultStyle = 'resources',
  alsoValidate: (body: Record<string, unknown>) => Fault[] = () => [],
): RequestPipe<Record<string, unknown>, T, Promise<T>> {
  return {
    reads: type,
    transform: async (body) => {
      const read = await readDeclaredInTurns(type, body);
      const faults = mergeFaults(read.faults, alsoValidate(body));
      if (faults.length > 0) throw faultsError(style, faults);
      return read.value;
    },
  };
}

/** The closer look replaces what is said about the same field as a whole. */
function mergeFaults(general: Fault[], closer: Fault[]): Fault[] {
  const seen = new Set(closer.map(({ path }) => path[0]));
  return [...general.filter(({ path }) => path.length === 0 || !seen.has(path[0])), ...closer];
}
