import { ValidateIf } from 'class-validator';

/** Makes a field optional. Unlike class-validator's IsOptional, it does not accept null. */
export function Optional(): PropertyDecorator {
  return ValidateIf((_request, value) => value !== undefined);
}

/** Makes a field optional and nullable; null removes the stored value. */
export function Removable(): PropertyDecorator {
  return ValidateIf((_request, value) => value !== undefined && value !== null);
}
