import { AppError } from '@quarry/error-codes';
import { detail, faultCode, type FaultStyle } from './fault-style.js';

/** One faulty place of a request; the message names the field. An unknown field has an empty path. */
export interface Fault {
  path: ReadonlyArray<string | number>;
  message: string;
}

/** How many faults one answer names: a body of junk must not make an answer of megabytes. */
const FAULTS_SHOWN_MAX = 50;

/** @returns the refusal that names every fault. */
export function faultsError(style: FaultStyle, faults: readonly Fault[]): AppError {
  const shown = faults.slice(0, FAULTS_SHOWN_MAX);
  const more = faults.length - shown.length;
  const message = shown.map((fault) => fault.message).join('; ') + (more > 0 ? `; and ${more} more` : '');
  return new AppError(faultCode(style), message, {
    details: shown.map((fault) => detail(style, fault.path, fault.message)),
  });
}

/** @returns the fault of a field that is not declared; the contract gives it an empty path. */
export function unrecognizedKey(key: string, parent: ReadonlyArray<string | number> = []): Fault {
  // A key can be as long as a body; 100 characters tell which one is meant.
  return { path: parent, message: `Unrecognized key: ${JSON.stringify(key.slice(0, 100))}` };
}
