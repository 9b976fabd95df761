import type { Draft } from './language/draft.js';
import { Interpreter } from './language/interpreter.js';
import { readingOf, type Recogniser } from './language/recogniser.js';
import { DIRECTORY_RECOGNISERS } from './language/recognisers/index.js';
import { segment } from './language/segment.js';
import { tokenise } from './language/tokenise.js';

/**
 * Reads a prompt: tokens, then spans with a meaning, then what the spans say together.
 * @param extra recognisers of a named table's columns and values
 */
export function readPrompt(prompt: string, referenceYear: number, extra: readonly Recogniser[] = []): Draft {
  const reading = readingOf(tokenise(prompt), referenceYear);
  const spans = segment(reading, [...extra, ...DIRECTORY_RECOGNISERS]);
  return new Interpreter(prompt, reading, spans).read();
}
