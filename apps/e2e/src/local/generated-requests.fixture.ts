import fc from 'fast-check';
import { newId } from '@quarry/app';

/** Ids of existing resources for the requests. */
export interface Scene {
  ws: string;
  tbl: string;
  run: string;
  exp: string;
  /** Cursor of a page of `tbl`, and below it one of the frozen table `firms` of `run`. */
  rowsCursor: string;
  frozenCursor: string;
  /** Cursors of another table, another run, another organisation and another batch. */
  foreignCursors: readonly string[];
  exportFile: Buffer;
  exportTag: string;
}

/** One request with the answer that the contract defines for it. */
export interface RequestCase {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | Buffer;
  status: readonly number[];
  /** Error codes that a refusal may have. */
  codes?: readonly string[];
  /** Path that the details of a refusal must contain. */
  at?: string;
  /** Checks a successful answer. */
  check?: (answer: { status: number; bytes: Buffer }) => void;
  /** Rows of an import, which are read back. */
  imported?: Array<Record<string, unknown>>;
}

const JSON_HEADERS = { 'content-type': 'application/json' };
const KINDS = ['companies', 'people'] as const;
const IMPORTABLE = { name: 'n', columns: [{ key: 'a', name: 'A' }], rows: [{ a: 1 }] };

const pick = fc.constantFrom;
const text = (maxLength: number) =>
  fc.string({
    unit: pick(...'abzAZ09 .-_\'"\\/{}[]:,<>%$éßΩя中🦊', 'e\u0301', '\t', '\n', '\u202e'),
    minLength: 1,
    maxLength,
  });
const NO_NAMES: readonly unknown[] = ['', 7, null, true, [], {}, 'a\0', '\ud800', 'x'.repeat(201)];
const json = (value: unknown) => JSON.stringify(value);

const read = (path: string, over: Partial<RequestCase> = {}): RequestCase => ({
  method: 'GET',
  path,
  headers: {},
  status: [200],
  ...over,
});
const send = (method: string, path: string, body: unknown, over: Partial<RequestCase>): RequestCase => ({
  method,
  path,
  headers: JSON_HEADERS,
  body: typeof body === 'string' || Buffer.isBuffer(body) ? body : json(body),
  status: [200],
  ...over,
});
const invalid = (at?: string, code = 'invalid_request'): Partial<RequestCase> => ({
  status: [400],
  codes: [code],
  ...(at === undefined ? {} : { at }),
});

/** @returns all kinds of requests to workspaces, tables, rows, exclusions and exports, valid and invalid ones */
export function generatedRequests(scene: Scene): fc.Arbitrary<RequestCase> {
  return fc.oneof(
    { arbitrary: pages(scene), weight: 14 },
    { arbitrary: cursors(scene), weight: 14 },
    { arbitrary: oddIds(scene), weight: 12 },
    { arbitrary: imports(scene), weight: 8 },
    { arbitrary: faultyImports(scene), weight: 18 },
    { arbitrary: exclusions(), weight: 8 },
    { arbitrary: faultyExclusions(), weight: 10 },
    { arbitrary: workspacesAndExports(scene), weight: 6 },
    { arbitrary: damagedBodies(scene), weight: 12 },
    { arbitrary: downloads(scene), weight: 10 },
  );
}

const ODD_NUMBERS = [
  '',
  '%205',
  '5%20',
  '5.0',
  '1e2',
  '+5',
  '%2B5',
  '0x10',
  '-1',
  '-0',
  '5;',
  '5%00',
  'NaN',
  'null',
  'true',
  '%D9%A3',
  '%EF%BC%95',
  '1_0',
  "1'",
  '1%20OR%201=1',
  '9'.repeat(31),
  '1' + '0'.repeat(30),
  '[1]',
  '%22 1%22',
].map((each) => each.replace(' ', '%20'));

function pages({ ws, tbl, run }: Scene): fc.Arbitrary<RequestCase> {
  const offsetLists = [
    '/v1/workspaces',
    `/v1/workspaces/${ws}/tables`,
    ...KINDS.map((k) => `/v1/exclusions/${k}`),
  ];
  const cursorLists = [`/v1/tables/${tbl}/rows`, `/v1/runs/${run}/output/tables/firms/rows`];
  const limit = fc.integer({ min: 1, max: 1000 });
  const paged = (path: string, max: number, next: string): Partial<RequestCase> & { path: string } => ({
    path,
    check: ({ bytes }) => {
      const body = JSON.parse(bytes.toString()) as { items: unknown[] };
      if (Object.keys(body).join() !== `items,${next}` || body.items.length > max)
        throw new Error('not a page');
    },
  });
  return fc.oneof(
    fc
      .tuple(pick(...offsetLists), limit, fc.oneof(fc.nat(50), fc.maxSafeNat()))
      .map(([path, l, o]) => read('', paged(`${path}?limit=${l}&offset=${o}`, l, 'next_offset'))),
    fc
      .tuple(pick(...cursorLists), limit)
      .map(([path, l]) => read('', paged(`${path}?limit=${l}`, l, 'next_cursor'))),
    fc
      .tuple(pick(...offsetLists, ...cursorLists), pick(...ODD_NUMBERS, '0', '1001'))
      .map(([path, odd]) => read(`${path}?limit=${odd}`, invalid('limit'))),
    fc
      .tuple(pick(...offsetLists), pick(...ODD_NUMBERS, '9007199254740992'))
      .map(([path, odd]) => read(`${path}?offset=${odd}`, invalid('offset'))),
    fc
      .tuple(pick(...offsetLists, ...cursorLists), limit)
      .map(([path, l]) => read(`${path}?limit=${l}&limit=${l}`, invalid('limit'))),
    fc
      .tuple(
        pick(...offsetLists, ...cursorLists, `/v1/tables/${tbl}`, `/v1/workspaces/${ws}`),
        fc.stringMatching(/^[b-km-z_]{1,9}$/),
      )
      .map(([path, name]) => read(`${path}?${name}=1`, { status: [400], codes: ['invalid_request'] })),
    pick(...offsetLists).map((path) => read(`${path}?cursor=abc`, invalid(''))),
    pick(...cursorLists).map((path) => read(`${path}?offset=1`, invalid(''))),
    pick(...offsetLists).map((path) => read(`${path}?limit=%zz`, invalid())),
  );
}

function cursors(scene: Scene): fc.Arbitrary<RequestCase> {
  const lists = [
    { path: `/v1/tables/${scene.tbl}/rows`, own: scene.rowsCursor, other: scene.frozenCursor },
    {
      path: `/v1/runs/${scene.run}/output/tables/firms/rows`,
      own: scene.frozenCursor,
      other: scene.rowsCursor,
    },
  ];
  return fc
    .tuple(pick(...lists), fc.integer({ min: 1, max: 1000 }))
    .chain(([{ path, own, other }, limit]) => {
      const at = (cursor: string, over: Partial<RequestCase>) =>
        read(`${path}?limit=${limit}&cursor=${cursor}`, over);
      const refused = invalid(undefined, 'invalid_cursor');
      const bytes = Buffer.from(own, 'base64url');
      return fc.oneof(
        fc.constant(at(own, {})),
        pick(...scene.foreignCursors, other, '').map((cursor) => at(cursor, refused)),
        fc.nat(bytes.length * 8 - 1).map((bit) => {
          const flipped = Buffer.from(bytes);
          flipped[bit >> 3]! ^= 1 << (bit & 7);
          return at(flipped.toString('base64url'), refused);
        }),
        fc.nat(own.length - 1).map((length) => at(own.slice(0, length), refused)),
        fc.nat(own.length - 1).map((from) => at(own.slice(from + 1), refused)),
        pick('=', '==', 'A', '%20', '%0A', '.').map((end) => at(own + end, refused)),
        fc
          .string({ unit: 'grapheme' })
          .map((any) => at(encodeURIComponent(`x${any}`).replaceAll('%00', ''), refused)),
        fc.integer({ min: 1, max: 14_000 }).map((length) => at('A'.repeat(length), refused)),
        fc.constant(at('%00', invalid('cursor'))),
        fc.constant(at(`${own}&cursor=${own}`, invalid('cursor'))),
        // An address of a megabyte never becomes a request; rare, because it costs a connection.
        {
          arbitrary: fc.constant(at('A'.repeat(1_000_000), { status: [431], codes: ['invalid_request'] })),
          weight: 1,
        },
      );
    });
}

function oddIds({ ws, tbl, run, exp }: Scene): fc.Arbitrary<RequestCase> {
  const routes: ReadonlyArray<[string, 'ws' | 'tbl' | 'run' | 'exp', string, (id: string) => RequestCase]> = [
    ['workspace_not_found', 'ws', ws, (id) => read(`/v1/workspaces/${id}`)],
    ['workspace_not_found', 'ws', ws, (id) => read(`/v1/workspaces/${id}`, { method: 'DELETE' })],
    ['workspace_not_found', 'ws', ws, (id) => read(`/v1/workspaces/${id}/tables?limit=2`)],
    ['workspace_not_found', 'ws', ws, (id) => send('POST', `/v1/workspaces/${id}/tables`, IMPORTABLE, {})],
    ['table_not_found', 'tbl', tbl, (id) => read(`/v1/tables/${id}`)],
    ['table_not_found', 'tbl', tbl, (id) => read(`/v1/tables/${id}/rows`)],
    ['table_not_found', 'tbl', tbl, (id) => read(`/v1/tables/${id}/rows?cursor=abc`)],
    ['run_not_found', 'run', run, (id) => read(`/v1/runs/${id}/output/tables/firms/rows`)],
    ['run_not_found', 'run', run, (id) => read(`/v1/runs/${id}/output/tables/firms/rows?cursor=abc`)],
    [
      'run_not_found',
      'run',
      run,
      (id) => send('POST', `/v1/runs/${id}/exports`, { table_key: 'firms', format: 'csv' }, {}),
    ],
    ['export_not_found', 'exp', exp, (id) => read(`/v1/exports/${id}`)],
  ];
  const odd = [
    '..%2f',
    '..%2F..%2Fetc%2Fpasswd',
    '%00',
    '%ff',
    '%C0%AF',
    '%ED%A0%80',
    '0',
    'null',
    'undefined',
    '%D9%A1',
    "'%20OR%201=1--",
    '1;DROP%20TABLE%20x',
    '$%7B7*7%7D',
    '%F0%9F%A6%8A',
    '__proto__',
    'constructor',
    '*',
    'x'.repeat(10_000),
    '%25',
    '%2e%2e',
    '00000000-0000-7000-8000-000000000000',
  ];
  const missing = (code: string): Partial<RequestCase> => ({ status: [404], codes: [code] });
  return fc.tuple(pick(...routes), fc.nat(25)).chain(([[code, prefix, id, at], place]) =>
    fc.oneof(
      pick(...odd).map((each) => ({ ...at(each), ...missing(code) })),
      fc
        .tuple(pick('ws', 'tbl', 'run', 'exp', 'row', 'org'), fc.boolean())
        .map(([other, upper]) =>
          other === prefix
            ? { ...at(newId(prefix)), ...missing(code) }
            : { ...at(upper ? id.toUpperCase() : newId(other as 'ws')), ...missing(code) },
        ),
      pick('%20', 'a', '%00', '%0a', ',').map((end) => ({ ...at(id + end), ...missing(code) })),
      fc.constant({ ...at(id.slice(0, id.length - 1 - (place % 26))), ...missing(code) }),
      pick('%zz', '%', 'a%2').map((broken) => ({ ...at(broken), ...invalid() })),
      pick('other', '%00', '..%2f', '%ff', '__proto__', 'x'.repeat(5000), "'--").map((key) =>
        read(`/v1/runs/${run}/output/tables/${key}/rows`, missing('table_not_found')),
      ),
      pick('dogs', 'Companies', 'companies%00', '%ff', '__proto__').map((kind) =>
        read(`/v1/exclusions/${kind}`, missing('not_found')),
      ),
      fc.constant(send('PUT', `/v1/tables/${tbl}`, {}, { status: [405], codes: ['invalid_request'] })),
      fc.constant(send('PATCH', `/v1/tables/${tbl}`, {}, invalid())),
    ),
  );
}

interface ImportBody {
  name: unknown;
  columns: Array<Record<string, unknown>>;
  rows: Array<Record<string, unknown>>;
}

const columnKey = text(12).filter((key) => key !== '__proto__');
const cell = fc.oneof(
  text(30),
  fc.constantFrom(null, true, false, 0, -1.5, 1e-7, 9007199254740991, '', '=1+1', 'é'.repeat(16_000)),
  fc.integer(),
  fc.array(text(5), { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('a', 'b', 'constructor'), text(5), { noNullPrototype: true }),
);
const importBody: fc.Arbitrary<ImportBody> = fc
  .tuple(
    text(20),
    fc.uniqueArray(columnKey, { minLength: 1, maxLength: 5, selector: (key) => key.normalize('NFC') }),
  )
  .chain(([name, keys]) =>
    fc.record({
      name: fc.constant(name),
      columns: fc.constant(keys.map((key) => ({ key, name: key }))),
      rows: fc.array(
        fc
          .tuple(...keys.map(() => fc.option(cell, { freq: 4, nil: undefined })))
          .map((cells) => ownEntries(keys, cells)),
        { minLength: 1, maxLength: 6 },
      ),
    }),
  );

function ownEntries(keys: string[], cells: unknown[]): Record<string, unknown> {
  return Object.fromEntries(keys.flatMap((key, i) => (cells[i] === undefined ? [] : [[key, cells[i]]])));
}

function imports({ ws }: Scene): fc.Arbitrary<RequestCase> {
  return importBody.map((body) =>
    send('POST', `/v1/workspaces/${ws}/tables`, body, {
      status: [201],
      imported: body.rows.map((row) =>
        Object.fromEntries(body.columns.map(({ key }) => [String(key), row[String(key)] ?? null])),
      ),
    }),
  );
}

/** Changes one value of a valid import, and returns the path that the refusal must name. */
function faultyImports({ ws }: Scene): fc.Arbitrary<RequestCase> {
  const change = (body: ImportBody, kind: number, bad: unknown, at: number): [unknown, string] => {
    const i = at % body.columns.length;
    const j = at % body.rows.length;
    const { key } = body.columns[i] as { key: string };
    const columns = body.columns.map((column) => ({ ...column }));
    const rows = body.rows.map((row) => ({ ...row }));
    const changed = { ...body, columns, rows };
    switch (kind) {
      case 0:
        return [{ ...changed, name: bad }, 'name'];
      case 1:
        columns[i] = { ...columns[i], name: bad };
        return [changed, `columns[${i}].name`];
      case 2:
        columns[i] = { ...columns[i], key: pickOf([...NO_NAMES, 'k'.repeat(65), '__proto__'], at) };
        return [changed, `columns[${i}].key`];
      case 3:
        columns[i] = { ...columns[i], kind: pickOf(['colour', '', 7, null, 'Text', ['text']], at) };
        return [changed, `columns[${i}].kind`];
      case 4:
        columns[i] = {
          ...columns[i],
          qualification: { criterion: 'c', effect: pickOf(['must', 7, null], at) },
        };
        return [changed, `columns[${i}].qualification.effect`];
      case 5:
        columns.push({ key: key.normalize('NFD'), name: 'again' });
        return [changed, `columns[${columns.length - 1}].key`];
      case 6:
        return [
          { ...changed, columns: pickOf([[], 7, null, {}, Array.from({ length: 201 }, columnAt)], at) },
          'columns',
        ];
      case 7:
        return [{ ...changed, rows: pickOf([7, null, {}, 'rows'], at) }, 'rows'];
      case 8:
        return [
          { ...changed, rows: rows.with(j, pickOf([7, null, 'x', [], true], at) as never) },
          `rows[${j}]`,
        ];
      case 9:
        rows[j] = { ...rows[j], undeclared: 1 };
        return [changed, `rows[${j}].undeclared`];
      case 10:
        rows[j] = {
          ...rows[j],
          [key]: pickOf(['a\0', '\udfff', 'z'.repeat(32_769), 2 ** 53, -1e300, 1e21], at),
        };
        return [changed, `rows[${j}].${key}`];
      case 11:
        columns[i] = { ...columns[i], kind: 'number' };
        rows[j] = { ...rows[j], [key]: pickOf(['7', true, [], {}], at) };
        return [changed, `rows[${j}].${key}`];
      case 12:
        return [{ ...changed, [pickOf(['constructor', 'toString', 'x', ''], at)]: 1 }, ''];
      default:
        columns[i] = { ...columns[i], width: 1 };
        return [changed, ''];
    }
  };
  return fc.tuple(importBody, fc.nat(13), pick(...NO_NAMES), fc.nat(100)).map(([body, kind, bad, at]) => {
    const [changed, path] = change(body, kind, bad, at);
    return send('POST', `/v1/workspaces/${ws}/tables`, changed, invalid(path));
  });
}

const pickOf = <T>(values: readonly T[], at: number): T => values[at % values.length]!;
const columnAt = (_: unknown, i: number) => ({ key: `k${i}`, name: 'K' });

const exclusionItem = fc.oneof(
  fc.record({ domain: fc.oneof(fc.domain(), text(20)) }),
  fc.record({
    linkedin_url: fc.oneof(fc.webUrl(), fc.constant('https://www.linkedin.com/company/acme'), text(20)),
  }),
  fc.record({
    domain: fc.constantFrom('a.co.uk', 'https://www.b.com/x', 'ÄÖ.de', '127.0.0.1'),
    linkedin_url: text(9),
  }),
  fc.constant({}),
);
const exclusionItems = fc.array(exclusionItem, { minLength: 1, maxLength: 12 });

function exclusions(): fc.Arbitrary<RequestCase> {
  const kind = pick(...KINDS);
  const addsUp = (size: number, names: string) => ({
    check: ({ bytes }: { bytes: Buffer }) => {
      const body = JSON.parse(bytes.toString()) as Record<string, number | unknown[]>;
      const sum = Object.values(body).reduce<number>(
        (all, each) => all + (Array.isArray(each) ? each.length : each),
        0,
      );
      if (Object.keys(body).join() !== names || (size >= 0 && sum !== size))
        throw new Error('does not add up');
    },
  });
  return fc.oneof(
    fc
      .tuple(kind, exclusionItems)
      .map(([k, items]) =>
        send(
          'POST',
          `/v1/exclusions/${k}`,
          { items },
          addsUp(items.length, 'created,updated,unchanged,rejected'),
        ),
      ),
    fc
      .tuple(kind, exclusionItems)
      .map(([k, items]) => send('DELETE', `/v1/exclusions/${k}`, { items }, addsUp(-1, 'deleted,not_found'))),
    fc
      .tuple(kind, exclusionItems, pick('crm', 'hr', 'é"\\'), pick({}, { dry_run: true }, { dry_run: false }))
      .map(([k, items, source, more]) =>
        send(
          'PUT',
          `/v1/exclusions/${k}`,
          { source, items, ...more },
          addsUp(-1, 'created,deleted,unchanged,rejected'),
        ),
      ),
  );
}

function faultyExclusions(): fc.Arbitrary<RequestCase> {
  return fc
    .tuple(pick(...KINDS), pick('POST', 'DELETE', 'PUT'), exclusionItems, fc.nat(7), fc.nat(100))
    .map(([kind, method, items, fault, at]) => {
      const i = at % items.length;
      const body: Record<string, unknown> = { items, ...(method === 'PUT' ? { source: 's' } : {}) };
      const withItem = (item: unknown) => ({ ...body, items: items.with(i, item as object) });
      const many = Array.from({ length: 1001 }, () => ({ domain: 'a.com' }));
      const faults: Array<[unknown, string]> = [
        [{ ...body, items: pickOf([7, null, {}, 'x'], at) }, 'items'],
        method === 'PUT'
          ? [{ ...body, source: pickOf(['', 7, null, 'x'.repeat(201), [], 'a\0'], at) }, 'source']
          : [{ ...body, items: pickOf([[], many], at) }, 'items'],
        [withItem(pickOf([7, null, 'x', true], at)), `items[${i}]`],
        [
          withItem({ domain: pickOf([7, null, '', 'x'.repeat(2001), {}, 'a\0', '\ud800'], at) }),
          `items[${i}].domain`,
        ],
        [withItem({ linkedin_url: pickOf([7, null, '', [], '\udc00'], at) }), `items[${i}].linkedin_url`],
        [withItem({ domain: 'a.com', more: 1 }), ''],
        [{ ...body, [pickOf(['constructor', 'toString', 'x', ''], at)]: 1 }, ''],
        method === 'PUT'
          ? [{ ...body, dry_run: pickOf(['true', 1, null, {}], at) }, 'dry_run']
          : [{ ...body, dry_run: true }, ''],
      ];
      const [changed, path] = faults[fault]!;
      return send(method, `/v1/exclusions/${kind}`, changed, invalid(path));
    });
}

function workspacesAndExports({ run }: Scene): fc.Arbitrary<RequestCase> {
  const exportsAt = `/v1/runs/${run}/exports`;
  return fc.oneof(
    text(60).map((name) => send('POST', '/v1/workspaces', { name }, { status: [201] })),
    pick(...NO_NAMES).map((name) => send('POST', '/v1/workspaces', { name }, invalid('name'))),
    pick('constructor', 'id', 'x').map((key) =>
      send('POST', '/v1/workspaces', { name: 'n', [key]: 1 }, invalid('')),
    ),
    pick('csv', 'json').map((format) =>
      send('POST', exportsAt, { table_key: 'firms', format }, { status: [201] }),
    ),
    pick('xls', '', 7, null, 'CSV').map((format) =>
      send('POST', exportsAt, { table_key: 'firms', format }, invalid('format')),
    ),
    pick(7, null, [], 'a\0').map((key) =>
      send('POST', exportsAt, { table_key: key, format: 'csv' }, invalid('table_key')),
    ),
    pick('other', '__proto__', "'--").map((key) =>
      send(
        'POST',
        exportsAt,
        { table_key: key, format: 'csv' },
        { status: [404], codes: ['table_not_found'] },
      ),
    ),
  );
}

const TARGETS: ReadonlyArray<[string, (scene: Scene) => string, unknown]> = [
  ['POST', ({ ws }) => `/v1/workspaces/${ws}/tables`, IMPORTABLE],
  ['POST', () => '/v1/workspaces', { name: 'n' }],
  ['POST', () => '/v1/exclusions/companies', { items: [{ domain: 'a.com' }] }],
  ['PUT', () => '/v1/exclusions/people', { source: 's', items: [{ domain: 'a.com' }] }],
  ['DELETE', () => '/v1/exclusions/people', { items: [{ domain: 'a.com' }] }],
  ['POST', ({ run }) => `/v1/runs/${run}/exports`, { table_key: 'firms', format: 'csv' }],
];

/** Bodies that are not JSON or that JSON parsers read differently, and wrong content types. */
function damagedBodies(scene: Scene): fc.Arbitrary<RequestCase> {
  return pick(...TARGETS).chain(([method, pathOf, body]) => {
    const good = json(body);
    const path = pathOf(scene);
    const damaged = (sent: string | Buffer, at?: string) => send(method, path, sent, invalid(at));
    const member = (extra: string) => `${good.slice(0, -1)},${extra}}`;
    return fc.oneof(
      fc.integer({ min: 0, max: good.length - 1 }).map((length) => damaged(good.slice(0, length))),
      fc
        .integer({ min: 0, max: good.length - 1 })
        .map((at) =>
          damaged(Buffer.concat([Buffer.from(good.slice(0, at)), Buffer.from([0xff]), Buffer.from(good)])),
        ),
      pick(
        `\ufeff${good}`,
        `${good}${good}`,
        `${good},`,
        '[]',
        '7',
        '"x"',
        'null',
        'NaN',
        `[${good}]`,
        ' ',
      ).map((sent) => damaged(sent)),
      pick('"__proto__":{}', '"\\u005f_proto__":1', '"x":{"__proto__":1}').map((extra) =>
        damaged(member(extra)),
      ),
      pick('1e400', '-1e999', '[[1e400]]', '"\\u0000"', '"\\udc00"', '{"\\u0000":1}').map((value) =>
        damaged(member(`"x":${value}`)),
      ),
      fc
        .integer({ min: 33, max: 100_000 })
        .map((depth) => damaged(member(`"x":${'['.repeat(depth)}${']'.repeat(depth)}`))),
      pick(...Object.keys(body as object)).map((key) => damaged(member(`"${key}":1`), key)),
      pick(
        'text/json',
        'text/plain',
        'application/jsonx',
        'application/json; charset=latin1',
        'multipart/form-data',
      ).map((type) =>
        send(method, path, good, {
          headers: { 'content-type': type },
          status: [415],
          codes: ['invalid_request'],
        }),
      ),
      pick('gzip', 'br', 'identity').map((encoding) =>
        send(method, path, good, {
          headers: { ...JSON_HEADERS, 'content-encoding': encoding },
          status: [415],
          codes: ['invalid_request'],
        }),
      ),
    );
  });
}

function downloads({ exp, exportFile, exportTag }: Scene): fc.Arbitrary<RequestCase> {
  const size = exportFile.length;
  const at = (headers: Record<string, string>, status: number, bytes?: Buffer) =>
    read(`/v1/exports/${exp}`, {
      headers,
      status: [status],
      ...(status === 416 ? { codes: ['invalid_request'] } : {}),
      check: (answer) => {
        if (bytes && !answer.bytes.equals(bytes)) throw new Error('other bytes of the file');
      },
    });
  return fc.oneof(
    fc
      .tuple(fc.nat(size - 1), fc.nat(2 * size))
      .map(([from, more]) =>
        at({ range: `bytes=${from}-${from + more}` }, 206, exportFile.subarray(from, from + more + 1)),
      ),
    fc.nat(size - 1).map((from) => at({ range: `bytes=${from}-` }, 206, exportFile.subarray(from))),
    fc
      .integer({ min: 1, max: 2 * size })
      .map((length) =>
        at({ range: `bytes=-${length}` }, 206, exportFile.subarray(Math.max(0, size - length))),
      ),
    fc.integer({ min: size, max: 999_999_999 }).map((from) => at({ range: `bytes=${from}-` }, 416)),
    fc.constant(at({ range: 'bytes=-0' }, 416)),
    fc
      .oneof(
        pick(
          'bytes=0-1,3-4',
          'lines=1-2',
          'bytes=',
          'bytes=-',
          'bytes=5-2',
          'bytes=a-b',
          'bytes 0-1',
          '0-1',
          '*',
        ),
        pick('bytes=0x1-2', 'bytes=1e1-', `bytes=0-${'9'.repeat(40)}`, 'bytes=--1', 'bytes=+1-2'),
        fc.stringMatching(/^[a-z=,;*-]{1,12}$/),
      )
      .map((range) => at({ range }, 200, exportFile)),
    pick(exportTag, `W/${exportTag}`, '*', `"x", ${exportTag}`).map((tag) =>
      at({ 'if-none-match': tag }, 304),
    ),
    pick('"x"', 'x', '', '"', exportTag.slice(1)).map((tag) => at({ 'if-none-match': tag }, 200, exportFile)),
    pick('"x"', 'W/"x"', 'Wed, 21 Oct 2015 07:28:00 GMT').map((tag) =>
      at({ range: 'bytes=0-1', 'if-range': tag }, 200, exportFile),
    ),
    fc.constant(at({ range: 'bytes=0-1', 'if-range': exportTag }, 206, exportFile.subarray(0, 2))),
  );
}
