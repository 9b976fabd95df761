import { IsNotEmpty, IsString, Matches, MaxLength } from 'class-validator';
import { applyDecorators } from './apply-decorators.js';

/** Maximum length of a name given by a user. Source: docs/contract.md#9-limits. */
const NAME_MAX = 200;

/** Validates a name with visible characters. */
export function IsName(charactersMax = NAME_MAX): PropertyDecorator {
  return applyDecorators(
    IsString(),
    IsNotEmpty(),
    MaxLength(charactersMax),
    Matches(/\S/, { message: '$property must not be blank' }),
  );
}
