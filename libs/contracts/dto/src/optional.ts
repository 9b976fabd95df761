import { IsObject, ValidateIf } from 'class-validator';
import { applyDecorators } from './apply-decorators.js';

/** Makes a field optional. Unlike class-validator's IsOptional, it does not accept null. */
export function Optional(): PropertyDecorator {
  return ValidateIf((_request, value) => value !== undefined);
}

/** Makes a field optional and nullable; null removes the stored value. */
export function Removable(): PropertyDecorator {
  return ValidateIf((_request, value) => value !== undefined && value !== null);
}

/** Declares the fields that a change is based on, as the client has read them; see `requireExpected`. */
export function Expected(): PropertyDecorator {
  return applyDecorators(Optional(), IsObject());
}
