/** Error for a line that is skipped; the message gives the reason. */
export class RejectedLine extends Error {
  override readonly name = 'RejectedLine';
}
