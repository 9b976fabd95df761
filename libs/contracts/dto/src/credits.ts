import { Max, ValidateBy } from 'class-validator';
import { applyDecorators } from './apply-decorators.js';

/** Maximum amount in a request: in thousandths it is still an exact integer in a double. */
const CREDITS_MAX = 1_000_000_000;

/** Validates a number with at most three decimal places. The limit of class-validator's IsNumber throws on 1e-7. */
export function IsThousandths(): PropertyDecorator {
  return ValidateBy({
    name: 'isNumber',
    validator: {
      validate: (value) => Number.isFinite(value) && Number((value as number).toFixed(3)) === value,
      defaultMessage: (args) => `${args?.property} must be a number with at most 3 decimal places`,
    },
  });
}

/** Validates an amount of credits. */
export function IsCredits(): PropertyDecorator {
  return applyDecorators(IsThousandths(), Max(CREDITS_MAX));
}
