import { ValidateIf } from 'class-validator';

/** The field may be left out. Unlike class-validator's IsOptional it does not take null for absent. */
export function Optional(): PropertyDecorator {
  return ValidateIf((_request, value) => value !== undefined);
}

/** The field may be left out, and null takes away what is set. */
export function Removable(): PropertyDecorator {
  return ValidateIf((_request, value) => value !== undefined && value !== null);
}
