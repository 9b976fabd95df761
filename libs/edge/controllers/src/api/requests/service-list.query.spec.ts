import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { queryOf } from '@quarry/http';
import { ServiceListQuery } from './service-list.query.js';

describe('the search text for the catalogue', () => {
  const read = async (text: string) => queryOf(ServiceListQuery).transform(`q=${text}`, { type: 'query' });

  it('has 1 to 200 characters', async () => {
    expect(await read('a'.repeat(200))).toMatchObject({ q: 'a'.repeat(200) });
    for (const text of ['a'.repeat(201), ''])
      await expect(read(text)).rejects.toMatchObject({ details: [{ path: 'q' }] });
  });
});
