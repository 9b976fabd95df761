/** The line is left out; the message says why. */
export class RejectedLine extends Error {
  override readonly name = 'RejectedLine';
}
