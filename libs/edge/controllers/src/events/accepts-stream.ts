const STREAM = 'text/event-stream';

/** @returns true where an Accept header names event streams; a weight of 0 means that they are not wanted */
export function acceptsStream(accept = ''): boolean {
  return accept
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';').map((part) => part.trim()))
    .some(
      ([type, ...parameters]) => type === STREAM && !parameters.some((each) => /^q=0(\.0*)?$/.test(each)),
    );
}
