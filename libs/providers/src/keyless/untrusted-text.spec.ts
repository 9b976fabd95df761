import { describe, expect, it } from '@jest/globals';
import { figure, measureMedian, TEXT_CPU_MS_MAX, worstTexts } from '@quarry/test-servers';
import { explanationsOf, namesIn } from './company/email-pattern.js';
import { ownNames } from './company/company-name.js';
import { nameLines } from './contact/contact-sites.js';
import { numbersOf } from './contact/printed-numbers.js';
import { factsOf } from './extract/page-facts.js';
import { SchemaFiller } from './extract/schema-filler.js';
import { boardsIn } from './jobs/job-boards.js';
import type { ReadPage } from './pages/page.js';
import { technologiesOf } from './pages/tech.provider.js';
import { classify } from './text/text-classifier.js';

/** As `PageReader` bounds what it reads. */
const PAGE_CHARACTERS_MAX = 2_000_000;

const MARKUP =
  '<|<!--|<a |<script>|<script src="|<script src="https://a.example/|<link href=a |<img src="//a/b" |<form action=|</script|<textarea>|<a href="https://calendly.com/|//boards.greenhouse.io/embed/job_board?&for=|boards.greenhouse.io/a |jobs.lever.co/a|//a.recruitee.com|//a.|https://|\\/\\/a.example\\/|//aaaa.example/a |src=|src="|\'|"|&amp;| | data-v-|connect.facebook.net/a|a|é|😀|\n'.split(
    '|',
  );
const WORDS =
  'Ada |Ada Lovelace |ada |A |Ä|é|Ada, |(|. |: |1 |030 1234567 |+49 30 |@a.example |a@|-|—|fax |tel |😀|\n| |, |Dr. |ada.lovelace |not |'.split(
    '|',
  );
const NEAR_CHARACTERS_MAX = 300;

function pageOf(parts: Partial<ReadPage>): ReadPage {
  return {
    ...{ url: 'https://a.example/', status: 200, headers: {}, html: '', title: null, description: null },
    ...{ language: null, links: [], framing: [], metadata: {}, structured: [], microdata: [], contacts: [] },
    ...{ numbers: [], pairs: [], feeds: [], scripts: [] },
    ...parts,
  };
}

async function dearest(
  what: string,
  units: readonly string[],
  length: number,
  read: (text: string) => unknown,
): Promise<void> {
  const spent: Array<{ cpuMs: number; name: string }> = [];
  for (const { name, text } of worstTexts(units.filter(Boolean), length))
    spent.push({ cpuMs: await measureMedian(() => read(text), TEXT_CPU_MS_MAX), name });
  const [most] = spent.sort((a, b) => b.cpuMs - a.cpuMs);
  figure(`${what}, the dearest of ${spent.length}: ${most!.cpuMs.toFixed(0)} ms, ${most!.name}`);
  expect(spent.filter(({ cpuMs }) => cpuMs > TEXT_CPU_MS_MAX)).toEqual([]);
}

describe('what a page says is read on the main thread without taking it from others', () => {
  it('for technologies', () =>
    dearest('technologies', MARKUP, PAGE_CHARACTERS_MAX, (html) =>
      technologiesOf(pageOf({ html, headers: { 'set-cookie': html.slice(0, 16_000) } })),
    ));

  it('for boards of jobs', () => dearest('boards', MARKUP, PAGE_CHARACTERS_MAX, boardsIn));

  it('for names, on as many pages as are read of a site', () =>
    dearest('names', WORDS, PAGE_CHARACTERS_MAX, (markdown) =>
      namesIn(nameLines(Array.from({ length: 8 }, () => ({ markdown }))), 5_000),
    ));

  it('for what stands beside its addresses', () =>
    dearest('addresses', WORDS, NEAR_CHARACTERS_MAX, (near) => {
      for (let at = 0; at < 500; at += 1) explanationsOf('ada.lovelace', near + String(at));
    }));

  // As many places as are judged, and as many words beside them.
  it.each([
    { places: 255, lines: 4 },
    { places: 166, lines: 7 },
  ])(
    'for whose its telephone numbers are, in $places places with $lines lines above each',
    ({ places, lines }) =>
      dearest('numbers', WORDS, 20_000, (text) => {
        const cut = (at: number): string => text.slice(at * 37, at * 37 + NEAR_CHARACTERS_MAX);
        const numbers = Array.from({ length: places }, (_, at) => ({
          ...{ text: `+49 30 ${2_000_000 + at}`, near: cut(at), isLink: false, isQuoted: false },
          line: {
            ...{ before: cut(at + 1), after: '', column: null },
            above: Array.from({ length: lines }, (_unused, up) => ({
              ...{ text: cut(at + up + 2), isSameBlock: true, isHeading: false },
            })),
          },
        }));
        numbersOf([pageOf({ numbers })]);
      }),
  );

  it('for the name of its company and a text that is classified', () =>
    dearest('titles and classes', WORDS, 20_000, (text) => {
      ownNames(pageOf({ title: text.slice(0, 1_000) }));
      classify(text, ['ada', 'ada lovelace', 'not interested', 'software']);
    }));

  it('for a schema with as many fields as are filled, with excerpts', () =>
    dearest('schemas', MARKUP, PAGE_CHARACTERS_MAX, (html) => {
      const names = Array.from({ length: 500 }, (_, at) => `field${at}`);
      const structured = [Object.fromEntries(names.map((name) => [name, `${name} is nowhere & never`]))];
      const schema = { properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) };
      new SchemaFiller('2026-01-01').fill(schema, [factsOf({ ...pageOf({ structured }), html })]);
    }));
});
