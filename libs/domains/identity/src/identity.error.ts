/** A refusal of an identity command; its message is meant for the operator who gave the command. */
export class IdentityError extends Error {
  override readonly name = 'IdentityError';
}
