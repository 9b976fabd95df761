/** The work is another process's now: nothing of it may be written any more. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/** The customer asked for the end of the work. */
export class WorkCancelledError extends Error {
  override readonly name = 'WorkCancelledError';
}

/** The key that started the work was revoked, or its workspace archived. */
export class AccessRevokedError extends Error {
  override readonly name = 'AccessRevokedError';
}

/** This process is stopping: the work goes back to the others. */
export class WorkHandedBackError extends Error {
  override readonly name = 'WorkHandedBackError';
}
