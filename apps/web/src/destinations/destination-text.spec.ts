import { describe, expect, it } from '@jest/globals';
import { mappingText, readLeftOut, readMapping, rowName } from './destination-text';

describe('a mapping as text', () => {
  it('is read as it was written, whatever is empty', () => {
    const mapping = { email: 'work_email', 'a=b': 'title' };
    expect(readMapping(`\n${mappingText(mapping)}  \n`)).toEqual({ mapping });
    expect(readMapping(' \n')).toEqual({ mapping: null });
  });

  it.each([
    ['email', 'Line 1 is not “field = column”.'],
    ['email = a\n= b', 'Line 2 is not “field = column”.'],
    ['email = a\nemail = b', 'Line 2 names email a second time.'],
  ])('says what is wrong with %j', (text, problem) => {
    expect(readMapping(text)).toEqual({ problem });
  });
});

describe('rows that are left out', () => {
  it('are counted with their reasons, and no others', () => {
    const sent = { new: 3, changed: 1, without_key: 0, sandbox: 0, duplicate: 0 };
    const reasons = '2 sent before as they are, 1 on an exclusion list';
    expect(readLeftOut({ ...sent, unchanged: 2, excluded: 1 })).toEqual({ count: 3, reasons });
  });
});

describe('a row that was refused', () => {
  it('is known by its first three texts, and by nothing else', () => {
    const values = {
      staff: 12,
      first_name: 'Ada',
      last_name: ' ',
      company: 'Tidal',
      email: 'ada@tidal.example',
      city: 'Oslo',
    };
    expect(rowName({ values })).toBe('Ada, Tidal, ada@tidal.example');
    expect(rowName({ values: { staff: 12 } })).toBe('');
  });
});
