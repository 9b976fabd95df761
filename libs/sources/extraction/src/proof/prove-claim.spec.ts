import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { printMeasurement } from '@quarry/test-servers';
import { confidenceOf } from './confidence.js';
import { foldText, FoldedText } from './folded-text.js';
import { FALSE_CLAIMS, MARKED, OTHER, PAGE, SENTENCES, TRUE_CLAIMS, type Case } from './proof.fixture.js';
import { proveClaim, ReadPageText } from './prove-claim.js';

const pages = new Map([PAGE, OTHER, MARKED].map((page) => [page.id, new ReadPageText(page)]));

function verdictOf([, value, quote, schema, field = '/field', page = 'p1']: Case) {
  return proveClaim({ field, value, quote, pageId: page }, schema, pages, field.slice(1));
}

function citedPage([, , , , , page = 'p1']: Case): string {
  return pages.get(page)!.page.text;
}

describe('the proof of a claim', () => {
  it.each(TRUE_CLAIMS)('succeeds for %s: %j', (...claim) => {
    const verdict = verdictOf(claim);
    expect(verdict.kind).toBe('proved');
    // The excerpt is the text of the page, not of the quote.
    if (verdict.kind === 'proved')
      expect(foldText(citedPage(claim).slice(verdict.range.from, verdict.range.to))).toBe(foldText(claim[2]));
  });

  it('fails for all of more than 200 false claims', () => {
    expect(FALSE_CLAIMS.length).toBeGreaterThanOrEqual(200);
    printMeasurement(`claims of a model with one fault each: ${FALSE_CLAIMS.length}, none of them published`);
    const published = FALSE_CLAIMS.filter((claim) => verdictOf(claim).kind === 'proved');
    expect(published).toEqual([]);
    // On the Markdown page each is refused because of its value: the quotes do occur there.
    const others = FALSE_CLAIMS.filter(([, , , , , page]) => page === MARKED.id).map(verdictOf);
    expect(new Set(others.map((each) => each.kind === 'refused' && each.refusal))).toEqual(
      new Set(['value_not_in_quote']),
    );
  });

  const asNumber = { type: 'number' };
  const pageOf = (text: string) =>
    new Map([['p', new ReadPageText({ id: 'p', url: 'https://a.example', text, statedFrom: text.length })]]);
  const isProved = (text: string, quote: string, value: unknown, schema: object) =>
    proveClaim({ field: '/f', value, quote, pageId: 'p' }, schema, pageOf(text), 'f').kind === 'proved';

  it.each(SENTENCES)('for «%s» judges %j for %s: %s', (sentence, value, field, proved) => {
    const claim = { field: `/${field}`, value, quote: sentence, pageId: 'p' };
    const verdict = proveClaim(claim, { type: typeof value }, pageOf(sentence), field);
    expect(verdict.kind).toBe(proved ? 'proved' : 'refused');
  });

  it('refuses a value beyond the limits of its schema', () => {
    const sentence = 'In all the company employs 120 people today.';
    const isProvedUpTo = (maximum: number) => isProved(sentence, sentence, 120, { type: 'integer', maximum });
    expect([isProvedUpTo(120), isProvedUpTo(119)]).toEqual([true, false]);
  });

  it('accepts the number of a sentence, and no other number made of its digits', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10_000_000 }),
        fc.integer({ min: 0, max: 10_000_000 }),
        (text, claimed) => {
          const sentence = `In all the company employs ${text} people today.`;
          expect(isProved(sentence, sentence, claimed, asNumber)).toBe(text === claimed);
        },
      ),
    );
  });

  it('refuses a number if the quote cuts it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 10_000_000 }), fc.nat(), (text, where) => {
        const digits = String(text);
        const cut = 1 + (where % (digits.length - 1));
        const sentence = `In all the company employs ${digits} people today.`;
        const [front, back] = [digits.slice(0, cut), digits.slice(cut)];
        expect(isProved(sentence, `the company employs ${front}`, Number(front), asNumber)).toBe(false);
        expect(isProved(sentence, `${back} people today.`, Number(back), asNumber)).toBe(false);
      }),
    );
  });

  it('locates any passage of any page', () => {
    const words = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }), {
      minLength: 8,
      maxLength: 30,
    });
    fc.assert(
      fc.property(words, fc.nat(), (parts, at) => {
        const text = parts.join(' ');
        const folded = new FoldedText(text);
        if (folded.text.length === 0) return;
        const from = at % folded.text.length;
        const { from: start, to: end } = folded.originOf(from, folded.text.length);
        expect(foldText(text.slice(start, end)).endsWith(folded.text.slice(from).trimStart())).toBe(true);
      }),
    );
  });

  it('succeeds for nothing that is not on the page, whatever is claimed', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 12 }), (value, quote) => {
        const proved = isProved(PAGE.text, quote, value, { type: 'string' });
        expect(proved && !foldText(PAGE.text).includes(foldText(value))).toBe(false);
      }),
    );
  });
});

describe('confidence', () => {
  it.each([
    [['a.example'], [], {}, 'medium'],
    [['a.example', 'a.example'], [], {}, 'medium'],
    [['a.example', 'b.example'], [], {}, 'high'],
    [['a.example'], ['a.example'], {}, 'high'],
    [['a.example', 'b.example'], ['a.example'], { isDisputed: true }, 'low'],
    [[], [], {}, 'low'],
  ] as const)('of %j about %j %j is %s', (domains, own, options, confidence) => {
    expect(confidenceOf(domains, new Set(own), options)).toBe(confidence);
  });
});
