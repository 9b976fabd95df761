import { describe, expect, it } from '@jest/globals';
import { samplesOf } from './docs-samples.js';

const BASE = 'https://quarry.example';
const textsOf = (
  ...[path, method, operation]: Parameters<typeof samplesOf> extends [string, ...infer Rest] ? Rest : never
) => Object.fromEntries(samplesOf(BASE, path, method, operation).map(({ title, text }) => [title, text]));

describe('code samples of an operation', () => {
  it('use its example, quoted for the shell, in curl, SDK and command line', () => {
    const body = { prompt: "20 of the world's banks", count: 2 };
    const texts = textsOf('/v1/runs', 'post', {
      requestBody: { content: { 'application/json': { example: body } } },
      'x-quarry': { paging: null, sdk: 'runs.create', command: 'run {body.prompt}' },
    });
    expect(texts.curl).toContain(String.raw`-d '{"prompt":"20 of the world'\''s banks","count":2}'`);
    expect(texts.curl).toContain("curl -X POST 'https://quarry.example/v1/runs'");
    expect(texts.TypeScript).toContain(
      'quarry.runs.create({\n  prompt: "20 of the world\'s banks",\n  count: 2\n})',
    );
    expect(texts.Command).toBe(String.raw`quarry run '20 of the world'\''s banks'`);
  });

  it('fill in path parameters, and iterate over lists', () => {
    const texts = textsOf('/v1/tables/{id}/rows', 'get', {
      parameters: [{ name: 'id', in: 'path', schema: { pattern: '^tbl_[0-9a-z]{26}$' } }],
      'x-quarry': { paging: 'cursor', sdk: 'tables.listRows', command: null },
    });
    expect(texts.curl).toContain("curl 'https://quarry.example/v1/tables/TBL_ID/rows'");
    expect(texts.TypeScript).toContain('for await (const each of quarry.tables.listRows("TBL_ID"))');
    expect(texts.Command).toBe('quarry api GET /v1/tables/TBL_ID/rows');
  });

  it('do not exist for operations without an SDK method', () => {
    expect(samplesOf(BASE, '/healthz', 'get', { 'x-quarry': { paging: null } })).toEqual([]);
  });
});
