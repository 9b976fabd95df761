import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';
import { pathText } from './fault-style.js';
import { unrecognizedKey, type Fault } from './faults.js';

type Path = ReadonlyArray<string | number>;
type Declared<T> = new () => T;

/**
 * Reads plain values as an instance of a request class and judges it by its decorators.
 *
 * class-transformer copies what it does not know and drops keys such as `constructor` on the way, so unknown keys
 * are looked for in what was sent, and values of free form are put back as they were sent.
 * @returns the instance, meaningful only when there are no faults
 */
export function readDeclared<T extends object>(
  type: Declared<T>,
  plain: Record<string, unknown>,
): { value: T; faults: Fault[] } {
  const value = plainToInstance(type, plain, { exposeDefaultValues: true });
  restoreFreeForm(value as Record<string, unknown>, plain);
  const wrong = validateSync(value, { forbidUnknownValues: false, validationError: { target: false } });
  return {
    value,
    faults: [...unknownKeys(value, plain, []), ...wrong.flatMap((error) => faultsOf(error, []))],
  };
}

/** Values whose class is not declared keep every key that they came with. */
function restoreFreeForm(value: Record<string, unknown>, plain: Record<string, unknown>): void {
  for (const key of Object.keys(plain)) {
    const read = value[key];
    const isFree = Array.isArray(read) ? !read.some(isDeclared) : isObject(read) && !isDeclared(read);
    if (isFree) value[key] = plain[key];
  }
}

function unknownKeys(value: object, plain: unknown, path: Path): Fault[] {
  if (!isObject(plain)) return [];
  const declared = declaredKeys(Object.getPrototypeOf(value).constructor as Declared<object>);
  return Object.keys(plain).flatMap((key) => {
    if (!declared.has(key)) return [unrecognizedKey(key, path)];
    const read = (value as Record<string, unknown>)[key];
    const sent = (plain as Record<string, unknown>)[key];
    if (Array.isArray(read) && Array.isArray(sent)) {
      return read.flatMap((item, i) =>
        isDeclared(item) ? unknownKeys(item, sent[i], [...path, key, i]) : [],
      );
    }
    return isDeclared(read) ? unknownKeys(read, sent, [...path, key]) : [];
  });
}

const declaredKeysByType = new WeakMap<Declared<object>, Set<string>>();

function declaredKeys(type: Declared<object>): Set<string> {
  const known = declaredKeysByType.get(type);
  if (known) return known;
  const metadata = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const keys = new Set(metadata.map(({ propertyName }) => propertyName));
  declaredKeysByType.set(type, keys);
  return keys;
}

function faultsOf(error: ValidationError, parent: Path): Fault[] {
  const step = /^\d+$/.test(error.property) ? Number(error.property) : error.property;
  const path = [...parent, step];
  const own = Object.values(error.constraints ?? {}).map((message) => ({
    path,
    message: named(message, error.property, path),
  }));
  return [...own, ...(error.children ?? []).flatMap((child) => faultsOf(child, path))];
}

/** class-validator names the last step only; the message must say which of many is meant. */
function named(message: string, property: string, path: Path): string {
  const text = pathText(path);
  if (path.length === 1) return message.includes(property) ? message : `${text} ${message}`;
  return message.startsWith(`${property} `)
    ? `${text}${message.slice(property.length)}`
    : `${text}: ${message}`;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Judged by the prototype: a sent object may have a key named `constructor`. */
function isDeclared(value: unknown): value is object {
  if (!isObject(value) || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype !== Object.prototype && prototype !== null;
}
