import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from '@jest/globals';
import { csvOfSpreadsheet, isSpreadsheet } from './spreadsheet.js';
import { workbookOf } from './workbook.fixture.js';

/** Milliseconds, far more than any of them needs: on a busy machine even starting the thread takes long. */
const READ_MS = 90_000;
const read = async (bytes: Buffer): Promise<string> =>
  (await csvOfSpreadsheet(bytes, 'org_1', READ_MS)).toString();
const text = (cell: string, value: string): string =>
  `<c r="${cell}" t="inlineStr"><is><t>${value}</t></is></c>`;

describe('a workbook', () => {
  it('is read as the values shown on its first sheet', async () => {
    const head = `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c>${text('C1', 'Founded')}</row>`;
    const first = `<row r="2">${text('A2', 'Ada &quot;Al&quot; Byron, née&#10;King')}<c r="B2"><v>0.1</v></c><c r="C2" s="1"><v>45000</v></c></row>`;
    // Row 3 is missing, and so is the first cell of row 4.
    const second =
      '<row r="4"><c r="B4" t="b"><v>1</v></c><c r="C4" t="e"><v>#N/A</v></c><c r="D4"><v>12345678901234567890</v></c></row>';
    const csv = await read(
      workbookOf(
        [head + first + second, `<row r="1">${text('A1', 'Another sheet')}</row>`],
        ['<t>Name</t>', '<r><t>Re</t></r><r><t>venue</t></r>'],
      ),
    );
    expect(csv.split('\r\n')).toEqual([
      '"Name","Revenue","Founded",',
      '"Ada ""Al"" Byron, née\nKing","0.1",2023-03-15,',
      ',,,',
      ',"true",,"12345678901234567890"',
      '',
    ]);
  });

  it.each([
    // Numbers as Excel writes them.
    ['1.1000000000000001', '"1.1"'],
    ['4.0999999999999996', '"4.1"'],
    ['4.917112345678E+12', '"4917112345678"'],
    ['-1E-3', '"-0.001"'],
    ['0', '"0"'],
    // More digits than a number can hold.
    ['0.12345678901234567890', '"0.12345678901234567890"'],
    ['12345678901234567', '"12345678901234567"'],
    ['1E+500', '"1E+500"'],
    ['007', '"007"'],
  ])('reads the number %s as %s, with every digit', async (written, cell) => {
    expect(await read(workbookOf([`<row r="1"><c r="A1"><v>${written}</v></c></row>`]))).toBe(`${cell}\r\n`);
  });

  it('is read from its first visible sheet', async () => {
    const sheets = ['lists', 'settings', 'people', 'more'].map(
      (word) => `<row r="1">${text('A1', word)}</row>`,
    );
    expect(await read(workbookOf(sheets, [], 2))).toBe('"people"\r\n');
    expect(await read(workbookOf(sheets, [], 4))).toBe('"lists"\r\n');
  });

  it('is read from its header on, if a title is above it', async () => {
    const row = (n: number, ...words: string[]) =>
      `<row r="${n}">${words.map((word, at) => word && text(`${'ABC'[at]}${n}`, word)).join('')}</row>`;
    const linesOf = async (...rows: string[]) => (await read(workbookOf([rows.join('')]))).split('\r\n');
    const below = [row(3, 'Name', 'City'), row(4, 'Ada', 'London')];
    expect(await linesOf(row(1, 'Leads of May'), ...below)).toEqual([
      ',',
      ',',
      '"Name","City"',
      '"Ada","London"',
      '',
    ]);
    // A header with one column, and a header above rows that are shorter.
    expect(await linesOf(row(1, 'Name'), row(2, 'Ada'), row(3, 'Bo', 'London'))).toContain('"Name",');
    expect(await linesOf(row(1, 'Name', 'City'), row(2, 'Ada'), row(3, 'Bo'))).toContain('"Name","City"');
    expect(await linesOf(row(1, 'Name'), row(2, 'Ada', 'London'))).toContain('"Name",');
  });

  it.each([
    [1, '1900-01-01'],
    [59, '1900-02-28'],
    [60, '1900-02-28'],
    [61, '1900-03-01'],
  ])('reads day %d of Excel as %s', async (day, date) => {
    expect(await read(workbookOf([`<row r="1"><c r="A1" s="1"><v>${day}</v></c></row>`]))).toBe(
      `${date}\r\n`,
    );
  });

  it('reads a time to the minute that Excel shows', async () => {
    const cell = '<c r="A1" s="1"><v>45000.001388888886</v></c>';
    expect(await read(workbookOf([`<row r="1">${cell}</row>`]))).toBe('2023-03-15T00:02:00.000Z\r\n');
  });

  it.each(['1', 'true'])('reads days from 1904 when it says so by %s', async (date1904) => {
    const cell = '<c r="A1" s="1"><v>43538</v></c>';
    expect(await read(workbookOf([`<row r="1">${cell}</row>`], [], 0, date1904))).toBe('2023-03-15\r\n');
  });

  it('reads a time without a date as a time', async () => {
    expect(await read(workbookOf(['<row r="1"><c r="A1" s="1"><v>0.4375</v></c></row>']))).toBe(
      '10:30:00\r\n',
    );
  });

  it('is distinguished from text by its first bytes', () => {
    expect(isSpreadsheet(workbookOf(['']))).toBe(true);
    expect(isSpreadsheet(Buffer.from('PK,name\n1,Ada\n'))).toBe(false);
    expect(isSpreadsheet(Buffer.alloc(0))).toBe(false);
  });

  it.each([
    ['of Excel 97', Buffer.from('d0cf11e0a1b11ae1', 'hex'), /old workbook, or one with a password/],
    ['that is cut off', workbookOf(['<row r="1"/>']).subarray(0, 300), /broken one/],
    ['that is another archive', Buffer.from('PK\u0003\u0004 and so on'), /no workbook/],
  ])('%s is refused with a helpful message', async (_what, bytes, message) => {
    await expect(read(bytes)).rejects.toMatchObject({ code: 'invalid_request', message });
  });
});

/** Writes a false length of an entry into the directory of an archive. */
function withLength(archive: Buffer, path: string, length: number): Buffer {
  const changed = Buffer.from(archive);
  // The directory follows the entries. In it, the length is 22 bytes before the path. Source: APPNOTE.TXT, 4.3.12
  changed.writeUInt32LE(length, changed.lastIndexOf(path) - 22);
  return changed;
}

describe('a workbook that is made to be too large', () => {
  const row = `<row r="1">${text('A1', 'a')}</row>`;

  it.each([
    [
      'by its declared size',
      withLength(workbookOf([row]), 'xl/worksheets/sheet1.xml', 300 * 2 ** 20),
      /too large/,
    ],
    [
      'by its last cell',
      workbookOf([`${row}<row r="1048576">${text('XFD1048576', 'z')}</row>`]),
      /too large|broken/,
    ],
    [
      'by a long text in each of its cells, of which the file has one copy',
      workbookOf(
        [
          Array.from(
            { length: 4_000 },
            (_, at) => `<row r="${at + 1}"><c r="A${at + 1}" t="s"><v>0</v></c></row>`,
          ).join(''),
        ],
        [`<t>${'a'.repeat(32_000)}</t>`],
      ),
      /too large/,
    ],
  ])(
    '%s is refused, and the process survives',
    async (_what, bytes, message) => {
      const length = read(bytes).then((csv) => csv.length);
      await expect(length).rejects.toMatchObject({ code: 'invalid_request', message });
      expect(await read(workbookOf([row]))).toBe('"a"\r\n');
    },
    120_000,
  );

  it('and declares a small size is unpacked only up to that size', async () => {
    const padded = workbookOf([' '.repeat(1_000_000) + row]);
    expect(await read(padded)).toBe('"a"\r\n');
    // The reader ignores bytes beyond the declared length, whatever precedes them.
    const csv = await read(withLength(padded, 'xl/worksheets/sheet1.xml', 500)).catch(() => '');
    expect(csv).not.toContain('a');
  });
});

/** Reads a workbook in a thread, as the pool does. @returns `csv`, or `thread` when the reader starts another thread */
async function firstOf(bytes: Buffer): Promise<unknown> {
  const file = new URL('./spreadsheet.worker.ts', import.meta.url).href;
  const code = `import { parentPort, workerData } from 'node:worker_threads';
    process.on('worker', () => parentPort.postMessage('thread'));
    const { default: read } = await import('${file}');
    await read(workerData);
    parentPort.postMessage('csv');`;
  const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), {
    workerData: bytes,
  });
  const [first] = (await once(thread, 'message')) as [unknown];
  await thread.terminate();
  return first;
}

it('a workbook with a large part is read in one thread, since nested threads may never answer', async () => {
  expect(await firstOf(workbookOf([' '.repeat(1_000_000)]))).toBe('csv');
}, 60_000);

describe('workbooks of several organisations', () => {
  it('are all read, one after the other', async () => {
    const each = Array.from({ length: 6 }, (_, at) =>
      workbookOf([`<row r="1">${text('A1', `of ${at}`)}</row>`]),
    );
    const read = await Promise.all(
      each.map((bytes, at) => csvOfSpreadsheet(bytes, `org_${at % 2}`, READ_MS)),
    );
    expect(read.map(String)).toEqual(each.map((_, at) => `"of ${at}"\r\n`));
  });
});
