import { applyDecorators } from './apply-decorators.js';
import { Transform } from 'class-transformer';
import { IsInt, IsString, Max, Min } from 'class-validator';
import { Optional } from './optional.js';

/** Default and maximum page size. Source: contract, Other limits. */
export const PAGE_LIMIT_DEFAULT = 100;
export const PAGE_LIMIT_MAX = 1000;
const OFFSET_MAX = Number.MAX_SAFE_INTEGER;

/** Validates a whole number of plain digits in a query: no sign, space, fraction, exponent or hex. */
export function DigitsInt(min: number, max: number): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value,
    ),
    IsInt({ message: `$property must be a whole number from ${min} to ${max}, in plain digits` }),
    Min(min, { message: `$property must be at least ${min}` }),
    Max(max, { message: `$property must be at most ${max}` }),
  );
}

/** Query of lists with offset pagination. */
export class OffsetPageQuery {
  @DigitsInt(1, PAGE_LIMIT_MAX) limit: number = PAGE_LIMIT_DEFAULT;
  @DigitsInt(0, OFFSET_MAX) offset: number = 0;
}

/** Query of lists with cursor pagination. */
export class CursorPageQuery {
  @DigitsInt(1, PAGE_LIMIT_MAX) limit: number = PAGE_LIMIT_DEFAULT;
  /** May be empty here: the code that signs cursors rejects it, like any other invalid one. */
  @Optional() @IsString() cursor?: string;
}
