import {
  faultsError,
  pathText,
  type ColumnJson,
  type ColumnKind,
  type CreateViewRequest,
  type Fault,
  type ViewFilter,
} from '@quarry/dto';

/** Conditions and order of a view as SQL over `tables.rows r`; everything from the request is in `params`. */
export interface ViewSql {
  where: string;
  /** Sort keys, as columns `k0`, `k1`, … of a select. */
  keys: string;
  /** The order by these columns and the `position`. */
  orderBy: string;
  params: unknown[];
}

const COMPARISONS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;
/** Kinds whose values have no order: objects and lists. */
const UNORDERED: ReadonlySet<ColumnKind> = new Set(['list', 'experiences', 'educations', 'object']);

/**
 * Translates the filters and sorts of a view. Nulls come last in either direction and count as unequal; text is compared without
 * regard to case and accents, whatever the locale of the database.
 * @param firstParam number of the first free parameter
 * @throws AppError invalid_request naming every unknown column, and every value that does not fit
 */
export function viewSql(
  columns: readonly ColumnJson[],
  view: CreateViewRequest,
  firstParam: number,
): ViewSql {
  const params: unknown[] = [];
  const param = (value: unknown, type: string): string => `$${firstParam + params.push(value) - 1}::${type}`;
  const faults: Fault[] = [];
  const refuse = (path: Fault['path'], message: string) =>
    faults.push({ path, message: `${pathText(path)} ${message}` });
  const columnOf = (path: Fault['path'], key: string): ColumnJson | undefined => {
    const column = columns.find((each) => each.key === key);
    if (!column) refuse(path, 'is not a column of this table');
    return column;
  };
  const where = ['TRUE'];
  (view.filter ?? []).forEach((filter, i) => {
    const column = columnOf(['filter', i, 'key'], filter.key);
    const message = valueFault(filter, column);
    if (column && filter.op in COMPARISONS && UNORDERED.has(column.kind))
      refuse(['filter', i, 'op'], `does not apply to a column of kind ${column.kind}, which has no order`);
    else if (message !== null) refuse(['filter', i, 'value'], message);
    else if (column) where.push(conditionOf(column, filter, param));
  });
  if (view.fit) where.push(`coalesce(r.fit->>'status', 'unknown') = ANY (${param(view.fit, 'text[]')})`);
  if (view.query !== undefined)
    // Reading the kind of every value would take longer than comparing its text. Folding long lists and objects takes longest.
    where.push(`EXISTS (SELECT FROM jsonb_each_text(r.cell_values) AS c
      WHERE CASE WHEN left(c.value, 1) IN ('[', '{') AND jsonb_typeof(r.cell_values -> c.key) <> 'string' THEN FALSE
        WHEN strpos(erasure.folded(c.value), erasure.folded(${param(view.query, 'text')})) > 0
        THEN jsonb_typeof(r.cell_values -> c.key) = 'string' END)`);
  const sort = view.sort ?? [];
  const keys = sort.flatMap(({ key }, i) => {
    const column = columnOf(['sort', i, 'key'], key);
    return column ? [`, ${comparableSql(column, param(key, 'text'))} AS k${i}`] : [];
  });
  const orderBy = sort.map(({ direction }, i) => `k${i} ${direction === 'asc' ? 'ASC' : 'DESC'} NULLS LAST`);
  if (faults.length > 0) throw faultsError('resources', faults);
  return {
    where: where.join('\n    AND '),
    keys: keys.join(''),
    orderBy: [...orderBy, 'position'].join(', '),
    params,
  };
}

type Param = (value: unknown, type: string) => string;

function conditionOf(column: ColumnJson, { key, op, value }: ViewFilter, param: Param): string {
  const own = param(key, 'text');
  const empty = `(coalesce(r.cell_values -> ${own}, 'null') IN ('null', '""', '[]', '{}'))`;
  // An empty text counts as empty, like null.
  if (op === 'empty' || (op === 'eq' && value === '')) return empty;
  if (op === 'filled' || (op === 'ne' && value === '')) return `NOT ${empty}`;
  const left = comparableSql(column, own);
  if (op === 'contains')
    return `coalesce(strpos(erasure.folded(r.cell_values ->> ${own}), erasure.folded(${param(value, 'text')})) > 0, FALSE)`;
  const right = (each: unknown): string =>
    column.kind === 'number'
      ? param(each, 'numeric')
      : `erasure.folded(${param(String(each), 'text')}) COLLATE "C"`;
  if (op === 'in') {
    const values = value as unknown[];
    const isIn = `coalesce(${left} IN (${values.map(right).join(', ')}), FALSE)`;
    return values.includes('') ? `(${isIn} OR ${empty})` : isIn;
  }
  if (op === 'eq' || op === 'ne')
    return `${left} IS ${op === 'eq' ? 'NOT ' : ''}DISTINCT FROM ${right(value)}`;
  return `coalesce(${left} ${COMPARISONS[op]} ${right(value)}, FALSE)`;
}

/** Returns SQL of a value to compare: a number as a number; everything else as folded text, ordered by its characters. */
function comparableSql({ kind }: ColumnJson, key: string): string {
  return kind === 'number'
    ? `(CASE WHEN jsonb_typeof(r.cell_values -> ${key}) = 'number' THEN (r.cell_values ->> ${key})::numeric END)`
    : `(nullif(erasure.folded(r.cell_values ->> ${key}), '') COLLATE "C")`;
}

/** @returns what is wrong with the value of a filter; null for a good one */
function valueFault({ op, value }: ViewFilter, column: ColumnJson | undefined): string | null {
  if (op === 'empty' || op === 'filled') return value === undefined ? null : `must be left out with ${op}`;
  const isScalar = (each: unknown): boolean =>
    column?.kind === 'number' && op !== 'contains'
      ? typeof each === 'number'
      : ['string', 'number', 'boolean'].includes(typeof each) && String(each).length <= 1000;
  const wanted = column?.kind === 'number' && op !== 'contains' ? 'a number' : 'a text, number or boolean';
  if (op !== 'in') return isScalar(value) ? null : `must be ${wanted}`;
  const isList = Array.isArray(value) && value.length >= 1 && value.length <= 100 && value.every(isScalar);
  return isList ? null : `must be a list of 1 to 100, each ${wanted}`;
}
