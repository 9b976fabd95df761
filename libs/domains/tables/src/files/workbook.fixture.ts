import { strToU8, zipSync } from 'fflate';

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** Cell styles by number: 0 is plain, 1 is a date. */
const STYLES = `<styleSheet xmlns="${MAIN}"><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`;

/**
 * Creates an XLSX workbook as spreadsheet programs write it.
 * @param sheets the `sheetData` of each sheet, in order
 * @param strings contents of the `si` elements of the shared strings
 * @param hiddenSheets number of leading sheets that are hidden
 * @param date1904 whether days are counted from 1904; `1` or `true`
 */
export function workbookOf(
  sheets: readonly string[],
  strings: readonly string[] = [],
  hiddenSheets = 0,
  date1904 = '0',
): Buffer {
  const relation = (id: string, type: string, target: string): string =>
    `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
  const files: Record<string, string> = {
    '_rels/.rels': `<Relationships xmlns="${RELATIONS}">${relation('r1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><workbookPr date1904="${date1904}"/><sheets>${sheets
      .map(
        (_, at) =>
          `<sheet name="Sheet ${at + 1}" sheetId="${at + 1}" r:id="s${at + 1}"${at < hiddenSheets ? ' state="hidden"' : ''}/>`,
      )
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${RELATIONS}">${[
      ...sheets.map((_, at) => relation(`s${at + 1}`, 'worksheet', `worksheets/sheet${at + 1}.xml`)),
      relation('strings', 'sharedStrings', 'sharedStrings.xml'),
      relation('styles', 'styles', 'styles.xml'),
    ].join('')}</Relationships>`,
    'xl/sharedStrings.xml': `<sst xmlns="${MAIN}">${strings.map((each) => `<si>${each}</si>`).join('')}</sst>`,
    'xl/styles.xml': STYLES,
  };
  for (const [at, data] of sheets.entries())
    files[`xl/worksheets/sheet${at + 1}.xml`] =
      `<worksheet xmlns="${MAIN}"><sheetData>${data}</sheetData></worksheet>`;
  return Buffer.from(
    zipSync(Object.fromEntries(Object.entries(files).map(([path, xml]) => [path, strToU8(xml)]))),
  );
}
