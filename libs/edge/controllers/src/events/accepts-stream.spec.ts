import { describe, expect, it } from '@jest/globals';
import { acceptsStream } from './accepts-stream.js';

describe('an event stream', () => {
  it.each(['text/event-stream', 'application/json, Text/Event-Stream;q=0.5', 'text/event-stream; q=0.001'])(
    'is requested by Accept: %s',
    (accept) => {
      expect(acceptsStream(accept)).toBe(true);
    },
  );

  it.each([
    undefined,
    '',
    '*/*',
    'application/json',
    'text/event-stream;q=0',
    'application/json, text/event-stream; q=0.000',
    'text/event-streams',
  ])('is not requested by Accept: %s', (accept) => {
    expect(acceptsStream(accept)).toBe(false);
  });
});
