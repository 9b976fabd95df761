import { pathText, unrecognizedKey, type Fault } from '@quarry/dto';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync, ValidationTypes, type ValidationError } from 'class-validator';

type Path = ReadonlyArray<string | number>;
type Declared<T> = new () => T;

/**
 * Reads plain values as an instance of a request class and judges it by its decorators.
 *
 * class-transformer would copy values of free form, drop keys such as `constructor` and stumble over `toString`, so
 * it only gets scalars and values of declared classes; the rest stays as it was sent. For the same reason unknown
 * keys are looked for in what was sent.
 * @returns the instance, meaningful only when there are no faults
 */
export function readDeclared<T extends object>(
  type: Declared<T>,
  plain: Record<string, unknown>,
): { value: T; faults: Fault[] } {
  const { keys, nested } = declarationOf(type);
  const known: Record<string, unknown> = {};
  const free: Record<string, unknown> = {};
  for (const key of Object.keys(plain)) {
    if (!keys.has(key)) continue;
    const sent = plain[key];
    if (nested.has(key)) known[key] = withoutInheritedNames(sent);
    else if (isObject(sent)) free[key] = sent;
    else known[key] = sent;
  }
  const value = Object.assign(plainToInstance(type, known, { exposeDefaultValues: true }), free);
  const wrong = validateSync(value, { forbidUnknownValues: false, validationError: { target: false } });
  return {
    value,
    faults: [...unknownKeys(value, plain, []), ...wrong.flatMap((error) => faultsOf(error, []))],
  };
}

/** No class declares a field named like a method that every object has, so nothing that is known is lost. */
function withoutInheritedNames(sent: unknown): unknown {
  if (Array.isArray(sent)) return sent.map(withoutInheritedNames);
  if (!isObject(sent)) return sent;
  const kept = Object.entries(sent).filter(([key]) => !(key in Object.prototype));
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutInheritedNames(value)]));
}

function unknownKeys(value: object, plain: unknown, path: Path): Fault[] {
  if (!isObject(plain)) return [];
  const { keys } = declarationOf(value.constructor as Declared<object>);
  return Object.keys(plain).flatMap((key) => {
    if (!keys.has(key)) return [unrecognizedKey(key, path)];
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

interface Declaration {
  keys: Set<string>;
  /** Fields whose values have a declared class of their own. */
  nested: Set<string>;
}

const declarations = new WeakMap<Declared<object>, Declaration>();

function declarationOf(type: Declared<object>): Declaration {
  const known = declarations.get(type);
  if (known) return known;
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const declaration = {
    keys: new Set(rules.map(({ propertyName }) => propertyName)),
    nested: new Set(rules.filter(isNestedRule).map(({ propertyName }) => propertyName)),
  };
  declarations.set(type, declaration);
  return declaration;
}

function isNestedRule({ type }: { type: string }): boolean {
  return type === ValidationTypes.NESTED_VALIDATION;
}

function faultsOf(error: ValidationError, parent: Path): Fault[] {
  const step = /^\d+$/.test(error.property) ? Number(error.property) : error.property;
  const path = [...parent, step];
  const message = sentenceOf(error, pathText(path));
  const own = message === null ? [] : [{ path, message }];
  return [...own, ...(error.children ?? []).flatMap((child) => faultsOf(child, path))];
}

/** Kinds of values: of a value of another kind nothing else that is said would be true. */
const KINDS: Readonly<Record<string, string>> = {
  // The list comes first: a value that is no list breaks the rules of its items as well.
  isArray: 'must be a list',
  isString: 'must be a string',
  isInt: '',
  isNumber: '',
  isBoolean: 'must be true or false',
  isIn: '',
};
/** The order in which rules are named that fail together: the kind of the value first, then whether there is anything. */
const FIRST = [...Object.keys(KINDS), 'isNotEmpty', 'arrayMinSize', 'arrayMaxSize', 'isObject'];

/** @returns one true sentence about the field itself, with its name; null when only what it holds is faulty */
function sentenceOf({ constraints = {}, property, value }: ValidationError, name: string): string | null {
  const rules = Object.keys(constraints);
  const rule = FIRST.find((each) => rules.includes(each)) ?? rules[0];
  if (rule === undefined) return null;
  if (value === undefined) return `${name} is required`;
  if (rule === 'nestedValidation') return `${name} must be an object`;
  const isOfItems = constraints[rule]!.startsWith('each of ');
  if (KINDS[rule] && !isOfItems) return `${name} ${KINDS[rule]}`;
  return named(constraints[rule]!, property, name);
}

/** class-validator names the last step only; the message must say which of many is meant. */
function named(message: string, property: string, name: string): string {
  if (message.startsWith(`${property} `)) return `${name}${message.slice(property.length)}`;
  return message.includes(name) ? message : `${name}: ${message}`;
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
