import { setImmediate as nextTurn } from 'node:timers/promises';
import { pathText, unrecognizedKey, type Fault } from '@quarry/dto';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync, ValidationTypes, type ValidationError } from 'class-validator';

type Path = ReadonlyArray<string | number>;
type Declared<T> = new () => T;

/** Items of a list that are validated in one turn of the event loop: a few milliseconds. */
const SLICE_ITEMS = 250;

/**
 * Reads plain values as an instance of a request class and validates it by its decorators.
 *
 * class-transformer would copy free-form values, drop keys such as `constructor` and fail on `toString`, so it gets only scalars
 * and values of declared classes; everything else is taken over unchanged. For the same reason unknown keys are searched in the
 * original input.
 * @returns the instance, which is valid only when there are no faults
 */
export function readDeclared<T extends object>(
  type: Declared<T>,
  plain: Record<string, unknown>,
): { value: T; faults: Fault[] } {
  const { value, unknown, wrong } = validateInput(type, plain);
  return { value, faults: [...unknown, ...wrong] };
}

/**
 * Like {@link readDeclared}, for a body: items of a long list are validated in slices, with a turn of the event loop after each,
 * since 100,000 at once would block all other requests for a second. If a long list itself is invalid, its items are not
 * validated.
 */
export async function readDeclaredInTurns<T extends object>(
  type: Declared<T>,
  plain: Record<string, unknown>,
): Promise<{ value: T; faults: Fault[] }> {
  const nested = [...declarationOf(type).nested.keys()].map((key) => [key, plain[key]] as const);
  const long = nested.filter((field): field is [string, unknown[]] => isLong(field[1]));
  // Only the length counts here: holes are neither read nor validated.
  const hollow = long.map(([key, items]) => [key, new Array<unknown>(items.length)] as const);
  const { value, unknown, wrong } = validateInput(type, plain, { instead: new Map(hollow) });
  for (const [key, items] of long) {
    if (wrong.some(({ path }) => path[0] === key)) continue;
    const list: unknown[] = [];
    for (let from = 0; from < items.length; from += SLICE_ITEMS) {
      await nextTurn();
      const slice = validateInput(
        type,
        { [key]: items.slice(from, from + SLICE_ITEMS) },
        { only: key, from },
      );
      // One by one: a call with more than about 100,000 arguments fails.
      for (const fault of slice.unknown) unknown.push(fault);
      for (const fault of slice.wrong) wrong.push(fault);
      list.push(...(slice.value as Record<string, unknown[]>)[key]!);
    }
    Object.assign(value, { [key]: list });
  }
  return { value, faults: unknown.concat(wrong) };
}

function isLong(sent: unknown): boolean {
  return Array.isArray(sent) && sent.length > SLICE_ITEMS;
}

interface Part {
  /** Lists that replace those of the input. */
  instead?: ReadonlyMap<string, unknown[]>;
  /** The only list to validate, and its offset in the input. */
  only?: string;
  from?: number;
}

/** @returns unknown fields apart from invalid ones, since all of the former are reported before the latter */
function validateInput<T extends object>(
  type: Declared<T>,
  plain: Record<string, unknown>,
  { instead = new Map(), only, from = 0 }: Part = {},
): { value: T; unknown: Fault[]; wrong: Fault[] } {
  const known = Object.fromEntries(fieldsOf(type, plain).filter(([key]) => !instead.has(key)));
  const value = plainToInstance(type, withoutFreeForm(type, known) as object, { exposeDefaultValues: true });
  putFreeForm(value, known);
  Object.assign(value, Object.fromEntries(instead));
  const errors = validateSync(value, { forbidUnknownValues: false });
  const wrong =
    only === undefined
      ? errors.flatMap((error) => faultsOf(error, [], Array.isArray(plain[error.property])))
      : errors
          .filter(({ property }) => property === only)
          .flatMap(({ children = [] }) => children)
          .flatMap((error) => faultsOf(atPlace(error, from), [only]));
  return { value, unknown: unknownKeys(value, plain, [], from), wrong };
}

/** @returns the declared fields of the input */
function fieldsOf(type: Declared<object>, sent: object): Array<[string, unknown]> {
  const own = [...declarationOf(type).keys].filter((key) => Object.hasOwn(sent, key));
  return own.map((key) => [key, (sent as Record<string, unknown>)[key]]);
}

/** Shifts the indexes of an error: class-validator counts from the first item of a slice. */
function atPlace(error: ValidationError, from: number): ValidationError {
  return Object.assign(error, { property: String(Number(error.property) + from) });
}

/** Returns an input without its free-form objects: class-transformer takes quadratic time in the number of an object's keys. */
function withoutFreeForm(type: Declared<object>, sent: unknown): unknown {
  // class-validator looks for objects in lists of lists, too: a list as an item becomes a value that it refuses.
  if (Array.isArray(sent)) return sent.map((item) => !Array.isArray(item) && withoutFreeForm(type, item));
  if (!isObject(sent)) return sent;
  const { nested } = declarationOf(type);
  return Object.fromEntries(
    fieldsOf(type, sent)
      .filter(([key, value]) => nested.has(key) || !isObject(value))
      .map(([key, value]) => [key, nested.has(key) ? withoutFreeForm(nested.get(key)!, value) : value]),
  );
}

/** Restores the free-form values of the input, which class-transformer did not get. */
function putFreeForm(value: unknown, sent: unknown): void {
  if (Array.isArray(value) && Array.isArray(sent)) value.forEach((item, i) => putFreeForm(item, sent[i]));
  if (!isDeclared(value) || !isObject(sent)) return;
  const type = value.constructor as Declared<object>;
  const { nested } = declarationOf(type);
  const fields = value as Record<string, unknown>;
  for (const [key, each] of fieldsOf(type, sent)) {
    if (nested.has(key)) putFreeForm(fields[key], each);
    else if (isObject(each)) fields[key] = each;
  }
}

function unknownKeys(value: object, plain: unknown, path: Path, from = 0): Fault[] {
  if (!isObject(plain)) return [];
  const { keys } = declarationOf(value.constructor as Declared<object>);
  return Object.keys(plain).flatMap((key) => {
    if (!keys.has(key)) return [unrecognizedKey(key, keys, path)];
    const read = (value as Record<string, unknown>)[key];
    const sent = (plain as Record<string, unknown>)[key];
    if (Array.isArray(read) && Array.isArray(sent)) {
      return read.flatMap((item, i) =>
        isDeclared(item) ? unknownKeys(item, sent[i], [...path, key, from + i]) : [],
      );
    }
    return isDeclared(read) ? unknownKeys(read, sent, [...path, key]) : [];
  });
}

interface Declaration {
  keys: Set<string>;
  /** Fields with a nested declared class, by name. */
  nested: Map<string, Declared<object>>;
}

const declarations = new WeakMap<Declared<object>, Declaration>();

function declarationOf(type: Declared<object>): Declaration {
  const known = declarations.get(type);
  if (known) return known;
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const declaration = {
    keys: new Set(rules.map(({ propertyName }) => propertyName)),
    nested: new Map(
      rules.filter(isNestedRule).map(({ propertyName: key }) => [key, classOfField(type, key)] as const),
    ),
  };
  declarations.set(type, declaration);
  return declaration;
}

/** class-transformer reveals the class of a field only by creating one. */
function classOfField(type: Declared<object>, key: string): Declared<object> {
  const made = plainToInstance(type, { [key]: {} }) as Record<string, object>;
  return made[key]!.constructor as Declared<object>;
}

function isNestedRule({ type }: { type: string }): boolean {
  return type === ValidationTypes.NESTED_VALIDATION;
}

/** @param isList whether a list was sent: a list in one query parameter is named as a whole */
function faultsOf(error: ValidationError, parent: Path, isList = true): Fault[] {
  const step = /^\d+$/.test(error.property) ? Number(error.property) : error.property;
  const path = [...parent, step];
  const children = (error.children ?? []).flatMap((child) => faultsOf(child, path));
  const items = isList ? itemFaultsOf(error, path) : null;
  if (items) {
    const named = new Set(children.map((fault) => fault.path[path.length]));
    return [...items.filter((fault) => !named.has(fault.path[path.length]!)), ...children];
  }
  const message = sentenceOf(error, pathText(path));
  return message === null ? children : [{ path, message }, ...children];
}

/** @returns one sentence for each invalid item of a list; null when the list itself is invalid, or is none */
function itemFaultsOf(
  { constraints = {}, property, value, target }: ValidationError,
  path: Path,
): Fault[] | null {
  const ofItems = Object.entries(constraints).flatMap(([rule, message]) => {
    const words = /^each (?:of|value in) \S+ (.*)$/s.exec(message)?.[1];
    return words === undefined ? [] : [{ rule, words: inHouseWords(words) }];
  });
  if (!Array.isArray(value) || ofItems.length === 0 || ofItems.length < Object.keys(constraints).length)
    return null;
  const checks = sortedByRank(ofItems).map((each) => ({
    ...each,
    isMet: itemCheckOf(target!, property, each.rule),
  }));
  return value.flatMap((item: unknown, i) => {
    const broken = checks.find(({ isMet }) => !isMet(item));
    const place = [...path, i];
    return broken ? { path: place, message: `${pathText(place)} ${broken.words}` } : [];
  });
}

function sortedByRank<T extends { rule: string }>(rules: readonly T[]): T[] {
  const rank = ({ rule }: T): number => (FIRST.includes(rule) ? FIRST.indexOf(rule) : FIRST.length);
  return rules.toSorted((a, b) => rank(a) - rank(b));
}

/** Finds the violated rule of a list item: class-validator reports only that there is one. */
function itemCheckOf(target: object, property: string, rule: string): (item: unknown) => boolean {
  const storage = getMetadataStorage();
  const found = storage
    .getTargetValidationMetadatas(target.constructor, '', false, false)
    .find(({ name, each, propertyName }) => name === rule && each && propertyName === property)!;
  const [check] = storage.getTargetValidatorConstraints(found.constraintCls);
  return (value) =>
    Boolean(
      check!.instance.validate(value, {
        value,
        property,
        object: target,
        targetName: target.constructor.name,
        constraints: found.constraints as unknown[],
      }),
    );
}

/** Rules about the type of a value: if one is violated, messages of other rules would be misleading. */
const KINDS: Readonly<Record<string, string>> = {
  // Lists first: a value that is no list violates the rules of its items as well.
  isArray: 'must be a list',
  isString: 'must be a string',
  isInt: '',
  isNumber: '',
  isBoolean: 'must be true or false',
  isIn: '',
};
/** Order in which violated rules are reported: the type of the value first, then whether it is empty. */
const FIRST = [...Object.keys(KINDS), 'isNotEmpty', 'arrayMinSize', 'arrayMaxSize', 'isObject'];

/** @returns one correct sentence about the field itself, with its name; null when only its content is invalid */
function sentenceOf({ constraints = {}, property, value }: ValidationError, name: string): string | null {
  const rules = Object.keys(constraints);
  const rule = FIRST.find((each) => rules.includes(each)) ?? rules[0];
  if (rule === undefined) return null;
  if (value === undefined) return `${name} is required`;
  if (rule === 'nestedValidation') return `${name} must be an object`;
  const isOfItems = constraints[rule]!.startsWith('each of ');
  if (KINDS[rule] && !isOfItems) return `${name} ${KINDS[rule]}`;
  return nameElement(inHouseWords(constraints[rule]!), property, name);
}

/** Replaces the wording of class-validator with that of all other faults. */
const HOUSE_WORDS: ReadonlyArray<readonly [RegExp, string]> = [
  [/should not be empty$/, 'must not be empty'],
  [/must be shorter than or equal to (\d+) characters$/, 'must have at most $1 characters'],
  [/must contain at least 1 elements$/, 'must have at least 1 item'],
  [/must contain at least (\d+) elements$/, 'must have at least $1 items'],
  [/must contain no more than (\d+) elements$/, 'must have at most $1 items'],
  [/must be one of the following values: /, 'must be one of '],
];

function inHouseWords(message: string): string {
  return HOUSE_WORDS.reduce((text, [theirs, ours]) => text.replace(theirs, ours), message);
}

/** class-validator names only the last part of a path; the message must name all of it. */
function nameElement(message: string, property: string, name: string): string {
  if (message.startsWith(`${property} `)) return `${name}${message.slice(property.length)}`;
  return message.includes(name) ? message : `${name}: ${message}`;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Decides by the prototype, because an input may have a key named `constructor`. */
function isDeclared(value: unknown): value is object {
  if (!isObject(value) || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype !== Object.prototype && prototype !== null;
}
