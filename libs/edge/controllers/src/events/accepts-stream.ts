const STREAM = 'text/event-stream';

/** @returns true when an Accept header lists event streams with a weight above 0 */
export function acceptsStream(accept = ''): boolean {
  return accept
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';').map((part) => part.trim()))
    .some(
      ([type, ...parameters]) => type === STREAM && !parameters.some((each) => /^q=0(\.0*)?$/.test(each)),
    );
}
