import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formulaSafe } from '../exports/csv.js';
import { cellJson, cellOf, TextKindInference } from './csv-cell.js';

const kindOf = (texts: string[]) => {
  const inference = new TextKindInference();
  texts.forEach((text) => inference.observe(text));
  return inference.kind;
};

describe('the kind of a CSV column', () => {
  it.each([
    ['number', ['1', '-2.5', '0', '1e-7']],
    // As numbers these would lose a zero, the sign or their last digits.
    ['text', ['1', '007']],
    ['text', ['1.10', '1.2']],
    ['text', ['9007199254740993', '1']],
    ['text', ['-0', '1']],
    ['text', ['1', 'n/a']],
    ['boolean', ['true', 'false']],
    ['text', ['TRUE', 'FALSE']],
    ['domain', ['acme.com', 'beta.io']],
    ['date', ['1957-03-04']],
    ['text', []],
  ])('is %s for %j', (kind, texts) => {
    expect(kindOf(texts)).toBe(kind);
  });

  it('never loses a character: each converted cell prints as it was read', () => {
    const text = fc.oneof(
      fc.double().map(String),
      fc.integer().map(String),
      fc.string(),
      fc.stringMatching(/^-?\d{1,20}(\.\d{1,8})?$/),
    );
    fc.assert(
      fc.property(text, (read) => {
        fc.pre(read !== '');
        expect(String(JSON.parse(cellJson(kindOf([read]), read)!))).toBe(read);
      }),
    );
  });
});

describe('a field of a CSV file', () => {
  it('that an export neutralised is restored', () => {
    for (const text of ['=1+1', '+47 22 33', '@x', '-', 'plain', "it's", '-5', '+4712345678'])
      expect(cellOf(formulaSafe(text))).toBe(text);
  });

  it('that has its own leading apostrophe keeps it', () => {
    expect(cellOf("'t Hooft")).toBe("'t Hooft");
  });
});
