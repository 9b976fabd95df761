import type { ErrorCode, ErrorDetail } from '@quarry/error-codes';

/**
 * Formats of request faults in the contract: `resources` (code invalid_request, path as text, `columns[0].key`) and
 * `services` (code validation_error, path as a list of steps).
 */
export type FaultStyle = 'resources' | 'services';

/** Steps from the root of a request to a value: keys and list indexes. */
export type FaultPath = ReadonlyArray<string | number>;

/** @returns the error code with which this style rejects a request. */
export function faultCode(style: FaultStyle): ErrorCode {
  return style === 'services' ? 'validation_error' : 'invalid_request';
}

/** @returns one entry of `details`. */
export function errorDetail(style: FaultStyle, path: FaultPath, message: string): ErrorDetail {
  return { path: style === 'services' ? path.map(String) : pathText(path), message };
}

/** @returns `columns[0].key` for the steps columns, 0, key. */
export function pathText(path: FaultPath): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
}
