import { AppError, excerpt, type ErrorDetail } from '@quarry/error-codes';

// Callers fix a file by its first faults; ten thousand equal ones would only make the answer large.
const FAULTS_MAX = 100;

/** Collects the faults of one request, up to the first hundred. */
export class RequestFaults {
  private readonly details: ErrorDetail[] = [];

  /** @param subject the validated thing, as messages name it */
  constructor(private readonly subject = 'The request') {}

  /**
   * @param path of the fault, such as `rows[17].domain`; empty for an unknown field
   * @param message a sentence whose subject is the path; a complete one when there is no path
   */
  add(path: string, message: string): void {
    if (this.isFull) return;
    const place = excerpt(path);
    this.details.push({
      path: place,
      message: place === '' ? excerpt(message) : `${place} ${excerpt(message)}`,
    });
  }

  /** True when further faults would be ignored. */
  get isFull(): boolean {
    return this.details.length >= FAULTS_MAX;
  }

  get isEmpty(): boolean {
    return this.details.length === 0;
  }

  /** @throws AppError invalid_request, with a message that names every collected field, if there is a fault */
  throwIfAny(): void {
    if (this.isEmpty) return;
    const named = this.details.map(({ message }) => message);
    const more = this.isFull ? ` (only the first ${FAULTS_MAX} errors are listed)` : '';
    throw new AppError('invalid_request', `${this.subject} is not valid. ${named.join('; ')}${more}`, {
      details: this.details,
    });
  }
}
