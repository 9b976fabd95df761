import { describe, expect, it } from '@jest/globals';
import { acceptsStream } from './accepts-stream.js';

describe('a stream', () => {
  it.each(['text/event-stream', 'application/json, Text/Event-Stream;q=0.5', 'text/event-stream; q=0.001'])(
    'is wanted by Accept: %s',
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
  ])('is not wanted by Accept: %s', (accept) => {
    expect(acceptsStream(accept)).toBe(false);
  });
});
