import { describe, expect, it } from '@jest/globals';
import { cellText } from './cell-text.js';

describe('the text of a value', () => {
  it('joins lists by a semicolon, and writes objects as JSON and booleans and numbers as they are', () => {
    expect(cellText('list', ['a', 2, true, null, '', { x: 1 }])).toBe('a; 2; true; {"x":1}');
    expect(cellText('object', { x: [1] })).toBe('{"x":[1]}');
    expect(cellText('boolean', false)).toBe('false');
    expect(cellText('number', -0.25)).toBe('-0.25');
    expect(cellText('text', null)).toBe('');
  });

  it('shows experiences and educations in a readable form', () => {
    expect(
      cellText('experiences', [
        { title: 'Head of Sales', company: 'Acme', start: '2019' },
        { company_name: 'Beta', start_date: '2015', end_date: '2019' },
        { title: 'Intern', end: 2015 },
        'freelance',
        { note: 'unclear' },
      ]),
    ).toBe(
      'Head of Sales at Acme (2019 – present); Beta (2015 – 2019); Intern (until 2015); freelance; {"note":"unclear"}',
    );
    expect(
      cellText('educations', [
        { school: 'University of Oslo', degree: 'BSc', field: 'Physics', start: 2001, end: 2004 },
      ]),
    ).toBe('BSc, Physics, University of Oslo (2001 – 2004)');
  });
});
