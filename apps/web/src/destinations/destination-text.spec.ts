import { describe, expect, it } from '@jest/globals';
import type { Table } from '../api/resources';
import { mappingText, readLeftOut, readMapping, rowName } from './destination-text';

describe('a mapping as text', () => {
  it('is read as it was written, with empty lines ignored', () => {
    const mapping = { email: 'work_email', 'a=b': 'title' };
    expect(readMapping(`\n${mappingText(mapping)}  \n`)).toEqual({ mapping });
    expect(readMapping(' \n')).toEqual({ mapping: null });
  });

  it.each([
    ['email', 'Line 1 is not “field = column”.'],
    ['email = a\n= b', 'Line 2 is not “field = column”.'],
    ['email = a\nemail = b', 'Line 2 names email a second time.'],
  ])('reports what is wrong with %j', (text, problem) => {
    expect(readMapping(text)).toEqual({ problem });
  });
});

describe('omitted rows', () => {
  it('are counted with their reasons, and no others', () => {
    const sent = { new: 3, changed: 1, without_key: 0, sandbox: 0, duplicate: 0 };
    const reasons = '2 unchanged since they were sent, 1 on an exclusion list';
    expect(readLeftOut({ ...sent, unchanged: 2, excluded: 1 })).toEqual({ count: 3, reasons });
  });
});

describe('a refused row', () => {
  const columns = ['staff', 'first_name', 'last_name', 'company', 'email', 'city'].map((key) => ({
    key,
  })) as Table['columns'];

  it('is identified by its first three texts, in column order', () => {
    const values = { email: 'ada@tidal.example', city: 'Oslo', company: 'Tidal', last_name: ' ', staff: 12 };
    expect(rowName({ values: { ...values, first_name: 'Ada' } }, columns)).toBe(
      'Ada, Tidal, ada@tidal.example',
    );
    expect(rowName({ values: { staff: 12 } }, columns)).toBe('');
  });
});
