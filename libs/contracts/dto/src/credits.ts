import { IsNumber, Max } from 'class-validator';
import { applyDecorators } from './apply-decorators.js';

/** Maximum amount in a request: in thousandths it is still an exact integer in a double. */
const CREDITS_MAX = 1_000_000_000;

/** Validates an amount of credits. */
export function IsCredits(): PropertyDecorator {
  return applyDecorators(
    IsNumber(
      { allowNaN: false, allowInfinity: false, maxDecimalPlaces: 3 },
      { message: '$property must be a number with at most 3 decimal places' },
    ),
    Max(CREDITS_MAX),
  );
}
