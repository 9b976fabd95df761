import { IsNumber, Max } from 'class-validator';
import { applyDecorators } from './apply-decorators.js';

/** Largest amount that a request may name: in thousandths it is still a whole number that a double holds. */
const CREDITS_MAX = 1_000_000_000;

/** The value is an amount of credits. */
export function IsCredits(): PropertyDecorator {
  return applyDecorators(
    IsNumber(
      { allowNaN: false, allowInfinity: false, maxDecimalPlaces: 3 },
      { message: '$property must be a number with at most 3 decimal places' },
    ),
    Max(CREDITS_MAX),
  );
}
