import { AppError, excerpt } from '@quarry/error-codes';
import { nearestKey } from './nearest-key.js';
import { errorDetail, faultCode, pathText, type FaultPath, type FaultStyle } from './fault-style.js';

/** Fault of a request; the message names the field. An unknown field has an empty path. */
export interface Fault {
  path: FaultPath;
  message: string;
  /** Returns text to append to the message. It may be expensive, and only the first hundred faults are shown. */
  hint?: () => string;
}

/** Maximum number of faults in a response: an invalid body must not cause a response of megabytes. */
export const FAULTS_SHOWN_MAX = 100;

/** Headers of the HTTP API that clients mistakenly send as a field of the body, by the letters of that field. */
const HEADERS_OF_KEYS: Readonly<Record<string, string>> = {
  idempotencykey: 'the header Idempotency-Key',
  maxcredits: 'the header Quarry-Max-Credits of a request that starts a run',
  quarrymaxcredits: 'the header Quarry-Max-Credits of a request that starts a run',
};

/** @returns the error with all faults, at most the first hundred. */
export function faultsError(style: FaultStyle, faults: readonly Fault[]): AppError {
  const shown = faults
    .slice(0, FAULTS_SHOWN_MAX)
    .map(({ path, message, hint }) => ({ path, message: message + (hint?.() ?? '') }));
  const more = faults.length - shown.length;
  const message =
    shown.map((fault) => excerpt(fault.message)).join('; ') + (more > 0 ? `; and ${more} more` : '');
  return new AppError(faultCode(style), message, {
    details: shown.map((fault) => errorDetail(style, fault.path, fault.message)),
  });
}

/** @returns the refusal of one field of a body, whose message begins with the path of the field; an empty path names none */
export function fieldError(path: FaultPath, message: string): AppError {
  return faultsError('resources', [{ path, message: `${pathText(path)} ${message}`.trimStart() }]);
}

/**
 * @param known fields declared at this position: the message suggests the most similar one, else the corresponding header
 * @param parent position of the field; it is part of the message, as an unknown field has an empty path in the contract
 * @returns the fault of an undeclared field
 */
export function unrecognizedKey(
  key: string,
  known: Iterable<string> = [],
  parent: FaultPath = [],
): Required<Fault> {
  return {
    path: [],
    message: `Unrecognized key: ${JSON.stringify(excerpt(pathText([...parent, key])))}`,
    hint: () => {
      const near = nearestKey(excerpt(key), known);
      return near === null ? headerHint(excerpt(key)) : `; did you mean ${JSON.stringify(near)}?`;
    },
  };
}

/** Returns a hint to the header. It mentions the HTTP API, because an agent's tool without the field has no headers. */
function headerHint(key: string): string {
  const letters = key.toLowerCase().replaceAll(/[^a-z]/g, '');
  return Object.hasOwn(HEADERS_OF_KEYS, letters) ? `; over HTTP this is ${HEADERS_OF_KEYS[letters]}` : '';
}
