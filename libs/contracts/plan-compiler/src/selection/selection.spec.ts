import { describe, expect, it } from '@jest/globals';
import type { Criterion, PlanColumn, Predicate, PredicateTest } from '@quarry/plan';
import { placeNamed, roleNamed, type Role } from '@quarry/vocabulary';
import { meetsFilters } from './filters-honoured.js';
import { criterionValues, evaluateFit } from './evaluate-fit.js';
import { matchesPredicate } from './matches-predicate.js';

const predicate = (test: PredicateTest, negate = false): Predicate => ({
  column_keys: ['cell'],
  negate,
  test,
  text: 'the filter',
});
const evaluate = (cell: unknown, test: PredicateTest, negate = false) =>
  matchesPredicate({ cell }, predicate(test, negate));

describe('evaluating a condition on a row', () => {
  it('has no verdict without a value, for filters and exclusions', () => {
    for (const cell of [null, '', undefined, []]) {
      expect(evaluate(cell, { op: 'one_of', values: ['a'] })).toBeNull();
      expect(evaluate(cell, { op: 'one_of', values: ['a'] }, true)).toBeNull();
    }
    expect(evaluate('n/a', { op: 'number', ranges: [{ min: 1, max: 2 }] })).toBeNull();
  });

  it('ignores case, accents and punctuation of text', () => {
    expect(evaluate('Zürich', { op: 'one_of', values: ['ZURICH'] })).toBe(true);
    expect(evaluate(['React', 'Go'], { op: 'one_of', values: ['go'] })).toBe(true);
    expect(evaluate('Director', { op: 'has_words', values: ['CTO'] })).toBe(false);
    expect(evaluate('Biogen', { op: 'contains', values: ['bio'] })).toBe(true);
  });

  it('reads numbers with separators and includes both bounds', () => {
    expect(evaluate('1,000', { op: 'number', ranges: [{ min: 1000, max: 1000 }] })).toBe(true);
    expect(evaluate(999, { op: 'number', ranges: [{ min: 1000, max: null }] })).toBe(false);
  });

  it('excludes the bound of an open range', () => {
    const above = { op: 'number', ranges: [{ min: 4, max: null, isOpen: true }] } as const;
    expect([4, 4.1, '4.2', 3.9].map((cell) => evaluate(cell, above))).toEqual([false, true, true, false]);
  });

  it('uses the first of several years', () => {
    expect(evaluate('2013 (1888)', { op: 'year', ranges: [{ min: 2013, max: 2013 }] })).toBe(true);
    expect(evaluate('2013 (1888)', { op: 'year', ranges: [{ min: null, max: 1900 }] })).toBe(false);
  });

  it('matches a place only as a complete part of an address', () => {
    const places = [placeNamed('Virginia')!];
    expect(evaluate('Reston, Virginia[2]', { op: 'address', places })).toBe(true);
    expect(evaluate('Charleston, West Virginia', { op: 'address', places })).toBe(false);
    expect(
      evaluate('Columbus, Ohio; Detroit, Michigan', { op: 'address', places: [placeNamed('Michigan')!] }),
    ).toBe(true);
    expect(evaluate('Saint Paul, Minnesota', { op: 'address', places: [placeNamed('the US')!] })).toBe(true);
  });

  it('recognises a role by the row, and by the title if level or department are empty', () => {
    const founder = roleNamed('founders')!;
    const salesHead = roleNamed('Head of Sales')!;
    const holds = (role: Role, title: string | null, seniority: string | null, department: string | null) =>
      matchesPredicate(
        { title, seniority, department },
        { ...predicate({ op: 'role', roles: [role] }), column_keys: ['title', 'seniority', 'department'] },
      );
    expect(holds(founder, 'Co-Founder', 'Owner / Founder', null)).toBe(true);
    expect(holds(founder, 'Co-Founder', null, null)).toBe(true);
    expect(holds(founder, 'Co-Founder & CTO', null, null)).toBe(true);
    expect(holds(founder, 'Head of Sales', null, null)).toBe(false);
    expect(holds(founder, null, 'Owner / Founder', null)).toBeNull();
    expect(holds(salesHead, 'Head of Sales', null, null)).toBe(true);
    expect(holds(salesHead, 'Head of Sales', 'Head', null)).toBe(true);
    expect(holds(salesHead, null, 'Head', null)).toBeNull();
    expect(holds(salesHead, null, 'VP', null)).toBe(false);
    expect(holds(salesHead, 'Wizard', null, null)).toBeNull();
  });

  it('compares days, bounds included', () => {
    const range = { from: '2010-01-01', to: '2010-12-31' };
    expect(
      ['2009-12-31', '2010-01-01', '2010-12-31', '2011-01-01'].map((day) =>
        evaluate(day, { op: 'date', range }),
      ),
    ).toEqual([false, true, true, false]);
  });

  it('keeps a row without a value for an exclusion', () => {
    const filter = predicate({ op: 'one_of', values: ['x'] }, true);
    expect([meetsFilters({}, [filter]), meetsFilters({ cell: 'x' }, [filter])]).toEqual([true, false]);
  });
});

const criterion = (effect: Criterion['effect'], value: string): Criterion => ({
  column_key: 'cell',
  criterion: `is ${value}`,
  effect,
  test: predicate({ op: 'one_of', values: [value] }),
});

describe('evaluating the fit of a row', () => {
  it('qualifies if every requirement is met', () => {
    expect(evaluateFit({ cell: 'a' }, [criterion('require', 'a')])).toMatchObject({
      status: 'qualified',
      score: 1,
    });
  });

  it('disqualifies on an unmet requirement or a met exclusion', () => {
    expect(evaluateFit({ cell: 'a' }, [criterion('require', 'b')]).status).toBe('disqualified');
    expect(evaluateFit({ cell: 'a' }, [criterion('exclude', 'a')]).status).toBe('disqualified');
  });

  it('is unknown without values, and never guesses', () => {
    const fit = evaluateFit({}, [criterion('require', 'a')]);
    expect(fit).toMatchObject({ status: 'unknown', score: null, criteria: [{ verdict: 'unknown' }] });
    expect(evaluateFit({ cell: 'a' }, [{ ...criterion('require', 'a'), test: null }]).status).toBe('unknown');
  });

  it('gives the column of a criterion whether the row meets it, of an exclusion too', () => {
    const columns = [
      ['boolean', { from: 'criterion' }],
      ['text', { from: 'criterion' }],
      ['number', { from: 'criterion' }],
      ['boolean', { from: 'nothing' }],
    ].map(([kind, source], n) => ({ key: `c${n}`, kind, source }) as unknown as PlanColumn);
    const criteria = columns.map(({ key }) => ({ ...criterion('exclude', 'a'), column_key: key }));
    expect(criterionValues({ columns, criteria }, { cell: 'a' })).toEqual({ c0: true, c1: 'true' });
    expect(criterionValues({ columns, criteria }, { cell: 'b' })).toEqual({ c0: false, c1: 'false' });
    expect(criterionValues({ columns, criteria }, {})).toEqual({});
  });

  it('lets a preference change the score but not the status', () => {
    const fit = evaluateFit({ cell: 'a' }, [criterion('require', 'a'), criterion('prefer', 'b')]);
    expect(fit).toMatchObject({ status: 'qualified', score: 0.5 });
  });

  it('qualifies a row by its filters if there are no criteria, unless part of the prompt was not understood', () => {
    const filters = [predicate({ op: 'one_of', values: ['a'] })];
    expect(evaluateFit({ cell: 'a' }, [], { filters, notUnderstood: [] }).status).toBe('qualified');
    expect(evaluateFit({ cell: 'a' }, [], { filters, notUnderstood: ['with a blue logo'] }).status).toBe(
      'unknown',
    );
    expect(evaluateFit({ cell: 'b' }, [], { filters, notUnderstood: [] }).status).toBe('disqualified');
  });
});
