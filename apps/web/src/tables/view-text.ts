export const OPERATORS = {
  contains: 'contains',
  eq: 'is',
  ne: 'is not',
  gt: 'is more than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  empty: 'is empty',
  filled: 'is filled',
} as const;
export type Operator = keyof typeof OPERATORS;
export const WITHOUT_VALUE: ReadonlySet<string> = new Set(['empty', 'filled']);

export interface ColumnFilter {
  readonly key: string;
  readonly op: Operator;
  readonly value: string;
}

/** @returns a filter of the address (`key:op:value`); null where it is none. A key may have colons, so the operator is looked for. */
export function readFilter(text: string): ColumnFilter | null {
  const found = /^(.*?):(contains|eq|ne|gte|gt|lte|lt|empty|filled)(?::([\s\S]*))?$/.exec(text);
  const [, key, op, value = ''] = found ?? [];
  return key && op ? { key, op: op as Operator, value } : null;
}

export function writeFilter({ key, op, value }: ColumnFilter): string {
  return WITHOUT_VALUE.has(op) ? `${key}:${op}` : `${key}:${op}:${value}`;
}

export function readSort(text = ''): Record<string, 'asc' | 'desc'> {
  const keys = text.split(',').filter(Boolean);
  return Object.fromEntries(
    keys.map((key) => (key.startsWith('-') ? [key.slice(1), 'desc' as const] : [key, 'asc' as const])),
  );
}

/** @returns the sorting after a press on a column's head: up, down, none */
export function nextSort(text: string | undefined, key: string): string | undefined {
  const direction = readSort(text)[key];
  return direction === undefined ? key : direction === 'asc' ? `-${key}` : undefined;
}
