/** The work belongs to another process now: nothing more may be written. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/** The customer has cancelled the work. */
export class WorkCancelledError extends Error {
  override readonly name = 'WorkCancelledError';
}

/** The key that started the work was revoked, or its workspace archived. */
export class AccessRevokedError extends Error {
  override readonly name = 'AccessRevokedError';
}

/** This process is stopping: the work is handed back. */
export class WorkHandedBackError extends Error {
  override readonly name = 'WorkHandedBackError';
}
