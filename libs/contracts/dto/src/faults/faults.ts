import { AppError, excerpt } from '@quarry/error-codes';
import { nearestKey } from './nearest-key.js';
import { errorDetail, faultCode, pathText, type FaultPath, type FaultStyle } from './fault-style.js';

/** One faulty place of a request; the message names the field. An unknown field has an empty path. */
export interface Fault {
  path: FaultPath;
  message: string;
  /** Returns the text behind the shown message. It may cost time, and only the first hundred faults are shown. */
  hint?: () => string;
}

/** Faults that one answer names: a body of junk must not make an answer of megabytes. */
export const FAULTS_SHOWN_MAX = 100;

/** Headers of the HTTP API whose values clients look for a field of the body to hold, by that field's letters. */
const HEADERS_OF_KEYS: Readonly<Record<string, string>> = {
  idempotencykey: 'the header Idempotency-Key',
  maxcredits: 'the header Quarry-Max-Credits of a request that starts a run',
  quarrymaxcredits: 'the header Quarry-Max-Credits of a request that starts a run',
};

/** @returns the refusal that names every fault, the first hundred at most. */
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

/**
 * @param known fields that are declared where it stands: the message names the nearest, else the header that is meant
 * @param parent where the field stands; the message tells it, as the contract gives an unknown field an empty path
 * @returns the fault of a field that is not declared
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

/** The HTTP API is named because an agent's tool that lacks the field has no headers. */
function headerHint(key: string): string {
  const letters = key.toLowerCase().replaceAll(/[^a-z]/g, '');
  return Object.hasOwn(HEADERS_OF_KEYS, letters) ? `; over HTTP this is ${HEADERS_OF_KEYS[letters]}` : '';
}
