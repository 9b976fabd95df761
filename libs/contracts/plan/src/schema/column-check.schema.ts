import { z } from 'zod';
import type { CellRange, DateRange } from '../predicate.js';
import { PLACE, RANGE, type IntentPlace } from './directory-filter.schema.js';
import { PROMPT_ORIGIN, type PromptOrigin } from './prompt-origin.schema.js';

type TextOperator = 'one_of' | 'contains' | 'has_words' | 'starts_with' | 'ends_with';

/** Test of the cells of a column, by operator. */
export type ColumnTest =
  | { readonly op: TextOperator; readonly value: readonly string[] }
  | { readonly op: 'number' | 'year'; readonly value: readonly IntentRange[] }
  | { readonly op: 'date'; readonly value: DateRange }
  | { readonly op: 'address'; readonly value: readonly IntentPlace[] }
  | { readonly op: 'is'; readonly value: boolean }
  | { readonly op: 'filled' };

/** Range of a test. `is_open`: the bounds are excluded, so that "above 4" includes 4.2 and not 4. */
export type IntentRange = Pick<CellRange, 'min' | 'max'> & { readonly is_open?: true | undefined };

/** Condition on one column of a table of the organisation. */
export type OneColumn = ColumnTest & {
  /** Key of the column. */
  readonly column: string;
  /** True when the test is negated. */
  readonly is_not?: true | undefined;
};

/** Condition on a table of the organisation; `either` matches when one of several does. */
export type ColumnCheck = PromptOrigin & (OneColumn | { readonly either: readonly OneColumn[] });

const texts = z.array(z.string().min(1).max(20_000)).min(1);
const cellRange = RANGE.extend({ is_open: z.literal(true).optional() });
const day = z.string().max(40).nullable();

const OPERATORS = {
  one_of: { value: texts },
  contains: { value: texts },
  has_words: { value: texts },
  starts_with: { value: texts },
  ends_with: { value: texts },
  number: { value: z.array(cellRange).min(1) },
  year: { value: z.array(cellRange).min(1) },
  date: { value: z.strictObject({ from: day, to: day }).describe('Days as YYYY-MM-DD; null is open.') },
  address: { value: z.array(PLACE).min(1) },
  is: { value: z.boolean() },
  filled: {},
} as const satisfies Readonly<Record<ColumnTest['op'], z.core.$ZodLooseShape>>;

const variants = Object.entries(OPERATORS).map(([op, shape]) =>
  z.strictObject({
    column: z.string().min(1).describe('Key of a column of the table.'),
    op: z.literal(op),
    is_not: z.literal(true).optional(),
    ...shape,
  }),
);

/** Schema with one variant per operator. */
export const COLUMN_CHECK = byOperator(variants.map((variant) => variant.extend(PROMPT_ORIGIN)));

/** Schema of alternatives. */
export const EITHER_CHECK = z.strictObject({
  either: z.array(byOperator(variants)).min(2),
  ...PROMPT_ORIGIN,
});

function byOperator<Variant extends z.core.$ZodTypeDiscriminable>([first, ...others]: readonly Variant[]) {
  return z.discriminatedUnion('op', [first!, ...others]);
}
