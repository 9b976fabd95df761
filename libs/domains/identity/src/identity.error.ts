/** A rejected identity command; its message is for the operator who ran the command. */
export class IdentityError extends Error {
  override readonly name = 'IdentityError';
}
