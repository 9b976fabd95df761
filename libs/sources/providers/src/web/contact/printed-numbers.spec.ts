import { describe, expect, it } from '@jest/globals';
import { peopleAddresses } from '../company/people-pages.js';
import type { ReadPage } from '../pages/page.js';
import parsePage from '../pages/page.worker.js';
import { PersonName } from './person-name.js';
import { numbersOf, numbersOfPerson } from './printed-numbers.js';

const url = 'https://halbrook.co.uk/';
const ada = new PersonName('Ada', 'Lovelace');
const script = (data: unknown) => `<script type="application/ld+json">${JSON.stringify(data)}</script>`;
const card = (name: string, number: string) => `<div><h3>${name}</h3><a href="tel:${number}">Call</a></div>`;

/** A page as the reader gives it, whose text nobody reads again. */
function pageOf(html: string): ReadPage {
  const page = { ...parsePage({ html, url }), url, status: 200, headers: {}, html: '' };
  return Object.defineProperty(page, 'html', {
    get: (): string => {
      throw new Error('The text of a page is long: it is read in a thread of its own.');
    },
  });
}
const numbersFor = (...pages: string[]) =>
  numbersOfPerson(ada, numbersOf(pages.map(pageOf))).map(({ number }) => number);

describe('the numbers that a site prints', () => {
  it('are found without the text of its pages', () => {
    expect(numbersFor(card('Ada Lovelace', '+442079460101'))).toEqual(['+442079460101']);
  });

  it('are as many as can be judged with every place, and none of a page with more', () => {
    const others = (count: number, from = 0) =>
      Array.from({ length: count }, (_, n) =>
        card(`Person${n + from} Other`, `+44207946${1000 + n + from}`),
      ).join('');
    const own = card('Ada Lovelace', '+442079460101');
    expect(numbersFor(own + others(250) + '<footer>Halbrook Ltd 020 7946 0101</footer>')).toEqual([]);
    expect(numbersFor(own + others(250))).toEqual(['+442079460101']);
    expect(numbersOf([pageOf(own + others(250))])).toHaveLength(200);
    expect(numbersFor(own + others(500))).toEqual([]);
  });

  it('are not looked for in words without end: a name of a megabyte is cut, an address that long is none', () => {
    const long = 'x'.repeat(1_000_000);
    const person = { '@type': 'Person', telephone: '020 7946 0101' };
    const page = pageOf(
      script([
        { ...person, name: `Ada Lovelace ${long}`, email: 'ada@halbrook.co.uk' },
        { ...person, name: 'Somebody', email: `${long}@halbrook.co.uk` },
      ]),
    );
    expect(numbersOf([page]).map(({ near }) => near.length)).toEqual([300, 8]);
    expect(peopleAddresses([page], url).map(({ email, near }) => [email, near.length])).toEqual([
      ['ada@halbrook.co.uk', 300],
    ]);
  });
});

describe('a number that a page prints as text', () => {
  const bob = '<div class="c"><h3>Bob Miller</h3><p>Sales</p></div>';
  it.each<[string, string]>([
    ['a card', `<div class="c"><h3>Ada Lovelace</h3><p>CTO</p><p>020 7946 0101</p></div>${bob}`],
    [
      'a card, labelled',
      `<div class="c"><h3>Dr. Ada Lovelace</h3><p>Direct line: 020 7946 0101</p></div>${bob}`,
    ],
    ['a card with a fax', '<div><h3>Ada Lovelace</h3><p>Fax 020 7946 0199<br>Tel. 020 7946 0101</p></div>'],
    [
      'a list',
      '<ul><li>Ada Lovelace, Engineer, +44 20 7946 0101</li><li>Bob Miller, 020 7946 0102</li></ul>',
    ],
    [
      'lines of an entry',
      '<ul><li><b>Ada Lovelace</b><br>Engineer<br>T: 020 7946 0101<br>ada@halbrook.co.uk</li></ul>',
    ],
    [
      'a row',
      '<table><tr><td>Ada Lovelace</td><td>Engineer</td><td>020 7946 0101</td></tr><tr><td>Bob Miller</td></tr></table>',
    ],
    [
      'a row below a head',
      '<table><tr><th>Name</th><th>Phone</th></tr><tr><td>Lovelace, Ada</td><td>020 7946 0101</td></tr></table>',
    ],
    [
      'terms',
      '<dl><dt>Ada Lovelace</dt><dd>Engineer</dd><dd>020 7946 0101</dd><dt>Bob Miller</dt><dd>Sales</dd></dl>',
    ],
    [
      'headings and paragraphs',
      '<h3>Ada Lovelace</h3><p>Engineer</p><p>(020) 7946 0101</p><h3>Bob Miller</h3><p>020 7946 0102</p>',
    ],
    [
      'a line of a paragraph',
      '<p>Ada Lovelace – Engineer – 020 7946 0101<br>Bob Miller – Sales – 020 7946 0102</p>',
    ],
    ['a paragraph', '<p>Ada Lovelace: 0044 20 7946 0101</p>'],
    [
      'two blocks of a card',
      '<div class="c"><div class="who"><h3>Ada Lovelace</h3><p>CTO</p></div><div class="how"><p>+44 (0)20 7946 0101</p></div></div>',
    ],
    ['a card with a label above it', '<div><h3>Ada Lovelace</h3><p>Phone</p><p>020 7946 0101</p></div>'],
  ])('is told as that of the one person in %s', (_what, html) => {
    expect(numbersFor(html)).toEqual(['+442079460101']);
  });

  it('is told for a mobile beside another number of the same person', () => {
    const html = '<div><h3>Ada Lovelace</h3><p>Tel.: 020 7946 0101 / Mobil: 07911 123456</p></div>';
    expect(numbersFor(html)).toEqual(['+442079460101', '+447911123456']);
  });

  const inCard = (words: string) => `<div><h3>Ada Lovelace</h3><p>CTO</p><p>${words}</p></div>`;
  it.each<[string, string]>([
    ...[
      ...[
        'Fax',
        'Telefax',
        'Office',
        'Switchboard',
        'Reception',
        'Zentrale',
        'Hotline',
        'Accueil',
        'Standard',
      ],
      ...[
        'VAT',
        'VAT no.',
        'Company number',
        'Order no.',
        'Art. Nr.',
        'IBAN',
        'Room',
        'Assistant',
        'Her assistant Bob Miller',
      ],
    ].map((label): [string, string] => [`is labelled ${label}`, inCard(`${label}: 020 7946 0101`)]),
    ['has an extension', inCard('020 7946 0101 ext. 12')],
    ['has one in brackets', inCard('020 7946 0101 (ext 12)')],
    ['is a date', inCard('01.02.2024')],
    ['is a place', inCard('51.507351')],
    ['is a figure without a sign', inCard('2079460101')],
    ['stands in a footer', '<footer><p>Ada Lovelace</p><p>020 7946 0101</p></footer>'],
    ['is printed in the footer, too', `${inCard('020 7946 0101')}<footer>Halbrook 020 7946 0101</footer>`],
    [
      'is printed for another person, too',
      `${inCard('020 7946 0101')}<div><h3>Bob Miller</h3><p>020 7946 0101</p></div>`,
    ],
    ['stands below two names', '<p>Ada Lovelace<br>Bob Miller<br>020 7946 0101</p>'],
    ['stands below two names, the second hers', '<p>Bob Miller<br>Ada Lovelace<br>020 7946 0101</p>'],
    ['stands beside two names', '<p>Ada Lovelace, Bob Miller, 020 7946 0101</p>'],
    ['stands behind her card', `<div class="c"><h3>Ada Lovelace</h3><p>CTO</p></div><p>020 7946 0101</p>`],
    [
      'stands behind the cards',
      `<div>${bob}<div class="c"><h3>Ada Lovelace</h3><p>CTO</p></div><p>020 7946 0101</p></div>`,
    ],
    [
      'is of the next card',
      `<div class="c"><h3>Ada Lovelace</h3></div><div class="c"><p>020 7946 0101</p><h3>Bob Miller</h3></div>`,
    ],
    ['is of the next entry', '<ul><li>Ada Lovelace</li><li>020 7946 0101</li></ul>'],
    ['is of another task', '<h3>Ada Lovelace</h3><p>CTO</p><h3>Front desk</h3><p>020 7946 0101</p>'],
    [
      'is of a quoted customer',
      '<blockquote>Great.<cite>Ada Lovelace, Acme, 020 7946 0101</cite></blockquote>',
    ],
    ['is of a customer', `<div class="testimonial">${inCard('020 7946 0101')}</div>`],
    ['is of a customer, below a heading', `<h2>What our customers say</h2>${inCard('020 7946 0101')}`],
    ['is linked for a customer', `<h2>Testimonials</h2>${card('Ada Lovelace', '+442079460101')}`],
    ['is of an agency', inCard('020 7946 0101<br>ada@agency.com')],
    ['is of an agency, in a line', '<p>Ada Lovelace, 020 7946 0101, ada@agency.com</p>'],
    [
      'stands in a column of orders',
      '<table><tr><th>Name</th><th>Order</th></tr><tr><td>Ada Lovelace</td><td>020 7946 0101</td></tr></table>',
    ],
    [
      'stands below columns of names',
      '<table><tr><td>Ada Lovelace</td><td>Bob Miller</td></tr><tr><td>020 7946 0101</td><td></td></tr></table>',
    ],
    ['stands in a sentence', '<p>Ada Lovelace founded us; customers reach the shop on 020 7946 0101</p>'],
  ])('is not told when it %s', (_what, html) => {
    expect(numbersFor(html)).toEqual([]);
  });
});
