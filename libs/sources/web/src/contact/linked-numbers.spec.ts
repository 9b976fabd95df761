import { PersonName } from '@quarry/extraction';
import { describe, expect, it } from '@jest/globals';
import { peopleAddresses } from '../company/people-pages.js';
import type { ReadPage } from '../pages/page.js';
import parsePage from '../pages/page.worker.js';
import { numbersOf, numbersOfPerson } from './linked-numbers.js';

const url = 'https://halbrook.co.uk/';
const ada = new PersonName('Ada', 'Lovelace');
const script = (data: unknown) => `<script type="application/ld+json">${JSON.stringify(data)}</script>`;
const card = (name: string, number: string) => `<div><h3>${name}</h3><a href="tel:${number}">Call</a></div>`;

/** Creates a page as the reader returns it, without Markdown text. */
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

describe('phone numbers on a site', () => {
  it('are found without the text of its pages', () => {
    expect(numbersFor(card('Ada Lovelace', '+442079460101'))).toEqual(['+442079460101']);
  });

  it('are limited to those checked with every place, and a page with more contributes none', () => {
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

  it('are not searched in endless words: a name of a megabyte is cut, and such an address ignored', () => {
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

describe('a phone number printed as text', () => {
  const own = card('Ada Lovelace', '+442079460101');
  it.each<[string, string]>([
    ['a card', '<div class="c"><h3>Ada Lovelace</h3><p>CTO</p><p>020 7946 0101</p></div>'],
    ['a row', '<table><tr><td>Ada Lovelace</td><td>Direct line: 020 7946 0101</td></tr></table>'],
    ['a sentence', '<p>Ada Lovelace, CTO, is reached on +44 20 7946 0101</p>'],
  ])('is assigned to nobody in %s', (_what, html) => {
    expect(numbersFor(html)).toEqual([]);
  });

  it.each<[string, string]>([
    ['in the footer', '<footer>Halbrook 020 7946 0101</footer>'],
    ['for another person', '<div><h3>Bob Miller</h3><p>020 7946 0101</p></div>'],
    ['as the switchboard', '<p>Switchboard: 020 7946 0101</p>'],
    ['in a quotation', '<blockquote>Ada Lovelace, 020 7946 0101</blockquote>'],
  ])('disqualifies the same linked number if it is also printed %s', (_what, html) => {
    expect(numbersFor(own)).toEqual(['+442079460101']);
    expect(numbersFor(own + html)).toEqual([]);
  });

  it('does not disqualify the linked number of a person in the same card', () => {
    const html = '<div><h3>Ada Lovelace</h3><p>020 7946 0101</p><a href="tel:+442079460101">Call</a></div>';
    expect(numbersFor(html)).toEqual(['+442079460101']);
  });
});

describe('a linked phone number', () => {
  it.each<[string, string]>([
    ['for a customer', `<h2>Testimonials</h2>${card('Ada Lovelace', '+442079460101')}`],
    ['in a section for customers', `<div class="testimonial">${card('Ada Lovelace', '+442079460101')}</div>`],
    ['with an extension', card('Ada Lovelace', '+442079460101;ext=12')],
  ])('is assigned to nobody if it is %s', (_what, html) => {
    expect(numbersFor(html)).toEqual([]);
  });
});
