import { describe, expect, it } from '@jest/globals';
import type { StructuredData } from '@quarry/engine';
import { factsOf } from './page-facts.js';
import { SchemaFiller } from './schema-filler.js';
import { typedValue, type FieldSchema } from './typed-value.js';

const NOW = '2026-01-02T03:04:05.000Z';
const nodes = [
  { '@type': 'WebSite', name: 'A site', url: 'https://halbrook.example' },
  {
    '@type': 'Organization',
    name: 'Halbrook "Pumps" & Sons',
    telephone: '+44 20 7946 0000',
    foundingDate: '1911-03-04',
    numberOfEmployees: { '@type': 'QuantitativeValue', value: 120 },
    address: {
      '@type': 'PostalAddress',
      name: 'Main office',
      addressLocality: 'Leeds',
      addressCountry: 'GB',
    },
    sameAs: ['https://x.com/halbrook', 'https://github.com/halbrook'],
    employee: [
      { '@type': 'Person', name: 'Ada Lovelace', jobTitle: 'CTO' },
      { '@type': 'Person', name: 'Grace Hopper' },
    ],
  },
  {
    '@type': 'Product',
    name: 'P1',
    offers: {
      '@type': 'Offer',
      price: '1,299.50',
      priceCurrency: 'EUR',
      availability: 'https://schema.org/InStock',
    },
  },
  { '@type': 'Product', name: 'P2', offers: { price: 12 } },
];

function page(parts: Partial<StructuredData> = {}): StructuredData {
  return {
    url: 'https://halbrook.example/',
    html: `<script type="application/ld+json">${JSON.stringify(nodes)}</script>`,
    title: 'Halbrook',
    language: 'en',
    metadata: { 'og:description': 'Pumps for breweries' },
    structured: nodes,
    microdata: [],
    contacts: [{ kind: 'email', value: 'info@halbrook.example', near: '' }],
    pairs: [],
    ...parts,
  };
}

const filled = (properties: Record<string, FieldSchema>, ...pages: StructuredData[]) =>
  new SchemaFiller(NOW).fillSchema(
    { type: 'object', properties },
    (pages.length > 0 ? pages : [page()]).map(factsOf),
  );
const text = { type: 'string' };

describe("a schema filled from a page's structured data", () => {
  it('takes values that fit by name and type, and leaves the others null', () => {
    const { data } = filled({
      company_name: text,
      phone: { type: ['string', 'null'] },
      founded_year: { type: 'integer' },
      employees: { type: 'number' },
      city: text,
      contactEmail: { type: 'string', format: 'email' },
      summary: text,
      socials: { type: 'array', items: { type: 'string', format: 'uri' } },
      profiles: { type: 'array', maxItems: 1, items: { type: 'string' } },
      revenue: { type: 'number' },
      // The page has the property, but its value is not a number.
      telephone: { type: 'integer' },
      staff: { type: 'integer', maximum: 100 },
      kind: { type: 'string', enum: ['pump', 'valve'] },
      vat: text,
    });
    expect(data).toEqual({
      company_name: 'Halbrook "Pumps" & Sons',
      phone: '+44 20 7946 0000',
      founded_year: 1911,
      employees: 120,
      city: 'Leeds',
      contactEmail: 'info@halbrook.example',
      summary: 'Pumps for breweries',
      socials: ['https://x.com/halbrook', 'https://github.com/halbrook'],
      profiles: ['https://x.com/halbrook'],
      revenue: null,
      telephone: null,
      staff: null,
      kind: null,
      vat: null,
    });
  });

  it('fills objects and lists of nodes separately', () => {
    const { data } = filled({
      company: {
        type: 'object',
        properties: { name: text, address: { properties: { city: text, zip: text } } },
      },
      products: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            name: text,
            price: { type: 'number' },
            availability: { enum: ['InStock', 'OutOfStock'] },
          },
        },
      },
      team: { type: 'array', items: { type: 'object', properties: { name: text, role: text } } },
      events: { type: 'array', items: { type: 'object', properties: { name: text } } },
    });
    expect(data).toEqual({
      company: { name: 'Halbrook "Pumps" & Sons', address: { city: 'Leeds', zip: null } },
      products: [
        { name: 'P1', price: 1299.5, availability: 'InStock' },
        { name: 'P2', price: 12, availability: null },
      ],
      team: [
        { name: 'Ada Lovelace', role: 'CTO' },
        { name: 'Grace Hopper', role: null },
      ],
      events: [],
    });
  });

  it('cites for each field where its value is, in the words of the page', () => {
    const { basis } = filled({ 'a/b~c': text, phone: text, company_name: text });
    expect(basis).toEqual([
      {
        field: '/a~1b~0c',
        value: null,
        reasoning: 'No page says so in a form for programs.',
        confidence: null,
        citations: [],
      },
      {
        field: '/phone',
        value: '+44 20 7946 0000',
        reasoning: 'JSON-LD Organization.telephone says so.',
        confidence: 'medium',
        citations: [
          {
            url: 'https://halbrook.example/',
            title: 'Halbrook',
            excerpt: expect.stringContaining('"telephone":"+44 20 7946 0000"') as unknown,
            retrieved_at: NOW,
          },
        ],
      },
      expect.objectContaining({ field: '/company_name', value: 'Halbrook "Pumps" & Sons' }),
    ]);
    const excerpt = basis[2]!.citations[0]!.excerpt!;
    expect(page().html!.replace(/\s+/g, ' ')).toContain(excerpt);
  });

  it('has lower confidence if two sources differ', () => {
    const other = page({
      structured: [{ '@type': 'Organization', telephone: '+44 1' }],
      url: 'https://b.example/',
    });
    expect(filled({ telephone: text }, page(), other).basis[0]).toMatchObject({
      value: '+44 20 7946 0000',
      confidence: 'low',
    });
    expect(filled({ telephone: text }).basis[0]).toMatchObject({ confidence: 'high' });
  });

  it('is filled quickly from a page with very many nodes', () => {
    const offers = Array.from({ length: 20_000 }, (_, index) => ({
      '@type': 'Offer',
      price: index,
      name: `n${index}`,
    }));
    const structured = [{ '@type': 'Product', offers }, ...offers];
    const properties = Object.fromEntries(
      Array.from({ length: 400 }, (_, index) => [`field_${index}`, text]),
    );
    const pages = Array.from({ length: 20 }, () => page({ structured }));
    const before = process.cpuUsage();
    const { basis } = filled({ ...properties, price: { type: 'number' } }, ...pages);
    const { user, system } = process.cpuUsage(before);
    expect(basis.at(-1)).toMatchObject({ field: '/price', value: 0 });
    // Typical: 0.7 s of CPU time.
    expect((user + system) / 1e6).toBeLessThan(30);
  });

  it('survives malicious nodes', () => {
    let deep: unknown = { name: 'x' };
    for (let level = 0; level < 5000; level += 1) deep = { '@type': 'Thing', part: deep };
    const structured = [
      deep,
      null,
      'text',
      { '@type': 5, name: ['a', null] },
      JSON.parse('{"__proto__":{"name":"y"}}'),
    ];
    expect(
      filled({ name: text, part: { properties: { name: text } } }, page({ structured })).data,
    ).toMatchObject({ name: 'a' });
    expect(({} as Record<string, unknown>).name).toBeUndefined();
  });
});

describe('a value converted to its schema type', () => {
  it.each<[string | number | boolean, FieldSchema, unknown]>([
    ['€ 12.50', { type: 'number' }, 12.5],
    ['1,299', { type: 'number' }, undefined],
    ['1,299,000', { type: 'integer' }, 1_299_000],
    ['1.299,50', { type: 'number' }, undefined],
    ['12 to 15', { type: 'number' }, undefined],
    ['12.5', { type: 'integer' }, undefined],
    [7, { type: 'string' }, '7'],
    ['True', { type: 'boolean' }, true],
    ['yes', { type: 'boolean' }, undefined],
    ['2026-01-02T10:00:00Z', { type: 'string', format: 'date' }, '2026-01-02'],
    ['January 2', { type: 'string', format: 'date' }, undefined],
    ['mailto:a@b.example', { type: 'string', format: 'email' }, 'a@b.example'],
    ['/relative', { type: 'string', format: 'uri' }, undefined],
    ['http://schema.org/InStock', { enum: ['instock', null] }, 'instock'],
  ])('%j as %j gives %j', (text, schema, value) => {
    expect(typedValue(text, schema, false)).toEqual(value);
  });
});
