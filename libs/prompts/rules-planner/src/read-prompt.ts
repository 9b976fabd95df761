import type { Draft } from './language/draft.js';
import { Interpreter } from './language/interpreter.js';
import { readingOf, type Recogniser } from './language/recogniser.js';
import { DIRECTORY_RECOGNISERS } from './language/recognisers/index.js';
import { segmentReading } from './language/segment.js';
import { tokenise } from './language/tokenise.js';
import { readablePart } from './readable-part.js';

/**
 * Reads a prompt: tokens, then spans with a meaning, then what the spans say together. Words beyond the readable part are not
 * understood.
 * @param extra recognisers of a named table's columns and values
 */
export function readPrompt(prompt: string, referenceYear: number, extra: readonly Recogniser[] = []): Draft {
  const { head, rest } = readablePart(prompt);
  const reading = readingOf(tokenise(head), referenceYear);
  const spans = segmentReading(reading, [...extra, ...DIRECTORY_RECOGNISERS]);
  const draft = new Interpreter(head, reading, spans).read();
  if (rest.trim() !== '') draft.notUnderstood.push(rest.trim());
  return draft;
}
