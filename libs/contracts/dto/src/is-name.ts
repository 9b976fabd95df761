import { IsNotEmpty, IsString, Matches, MaxLength } from 'class-validator';
import { applyDecorators } from './apply-decorators.js';

/** Longest name of what people name. Source: docs/contract.md#9-limits. */
const NAME_MAX = 200;

/** The value is a name that people can see. */
export function IsName(charactersMax = NAME_MAX): PropertyDecorator {
  return applyDecorators(
    IsString(),
    IsNotEmpty(),
    MaxLength(charactersMax),
    Matches(/\S/, { message: '$property must not be blank' }),
  );
}
