import { describe, expect, it, jest } from '@jest/globals';
import { validateTemplate, renderMessage, TemplateError } from './message-template.js';

const render = (body: string, variables: Record<string, unknown> = {}, subject: string | null = 'Hi') =>
  renderMessage({ subject, body }, variables);

function faultOf(body: string, variables: Record<string, unknown> = {}): TemplateError {
  try {
    render(body, variables);
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
  throw new Error('It was rendered.');
}

describe('a message template', () => {
  it('inserts the variables of the contact unchanged', () => {
    expect(
      render('Hi {{ name }}, 3 < {{ n }} {{ is }}', { name: '{{ n }} & <b>', n: 4.5, is: false }),
    ).toEqual({ subject: 'Hi', text: 'Hi {{ n }} & <b>, 3 < 4.5 false' });
  });

  it.each([
    ['{{ name }}', {}],
    ['{{ name }}', { name: null }],
    ['{{ name | upcase }}', { name: null }],
    ['{% assign other = name %}{{ other }}', {}],
    ['{{ "Hi " | append: name }}', {}],
    ['{% capture other %}{{ name }}{% endcapture %}', {}],
    ['{{ constructor }}', {}],
    ['{{ __proto__ }}', {}],
  ])('%s is refused without a value, and the error names the variable', (body, variables) => {
    const { variable, part } = faultOf(body, variables);
    expect([body.includes(variable!), part]).toEqual([true, 'body']);
  });

  it('can define a default for a missing value', () => {
    expect(
      render('Hi {{ name | default: "there" }}{% if title %}, {{ title }}{% endif %}', { name: null }).text,
    ).toBe('Hi there');
  });

  it.each([
    '{% for i in (1..3) %}{{ i }}{% endfor %}',
    '{% include "other" %}',
    '{% render "../../etc/passwd" %}',
    '{% layout "x" %}',
    '{{ name | shell }}',
    '{{ name | split: "," | where_exp: "a", "name contains a" | size }}',
    '{{ name',
    '{% if name %}',
    '{% liquid\n for i in (1..3)\n endfor %}',
    'x'.repeat(25_001),
  ])('is refused when it is saved: %.40s', (body) => {
    expect(() => validateTemplate(body, 'body')).toThrow(TemplateError);
  });

  it.each([
    `{% assign a = "aaaaaaaaaaaaaaaaaaaa" %}${'{% assign a = a | append: a %}'.repeat(40)}{{ a }}`,
    '{{ (1..1000000000) | join: "," }}',
    '{{ name | url_encode }}'.repeat(1_000),
    // Comparisons of lists are loops, too: each of these templates took seconds.
    `{% assign x = name | split: "" %}{% if ${'x == x and '.repeat(1_500)}x %}{% endif %}`,
    `{% assign x = name | split: "" %}{% if ${'x contains "b" or '.repeat(1_000)}x %}{% endif %}`,
    `{% assign x = name | split: "" %}{% case x %}${'{% when x %}{% when "b" %}'.repeat(500)}{% endcase %}`,
    `{% assign a = "aaaaaaaaaa" %}${'{% capture a %}{{ a }}{{ a }}{% endcapture %}'.repeat(24)}{{ a }}`,
  ])('cannot run or grow without bounds: %.60s', (body) => {
    expect(faultOf(body, { name: 'a'.repeat(30_000) }).message).toMatch(/limit exceeded|takes no list/);
  });

  it('is refused without a pass over a text that is far too long', () => {
    const long = '{{ name }}'.repeat(2_000);
    const passes = jest.spyOn(String.prototype, 'replace');
    try {
      expect(faultOf(long, { name: 'a'.repeat(30_000) }).message).toBe('is longer than 50000 characters');
      expect(() => render('x', { name: 'a'.repeat(30_000) }, long)).toThrow('is longer than 500 characters');
      const lengths = passes.mock.contexts.map((text) => (text as string).length);
      expect(Math.max(...lengths)).toBeLessThanOrEqual(200_000);
    } finally {
      passes.mockRestore();
    }
  });

  it('supports comparisons and conditions', () => {
    const body =
      '{% if tags contains "b" and name != "Bo" %}1{% endif %}{% case name %}{% when "Ann" %}2{% endcase %}';
    expect(render(body, { name: 'Ann', tags: ['a', 'b'] }).text).toBe('12');
  });

  it('renders a subject of one line, so that no row can add a header', () => {
    expect(render('x', { name: 'Ann\r\nBcc: all@example.com\u0000' }, 'For {{ name }}').subject).toBe(
      'For Ann Bcc: all@example.com',
    );
  });

  it('is not sent with an empty text or an empty subject', () => {
    expect(faultOf('{{ name }}', { name: ' ' })).toMatchObject({ part: 'body', message: 'is empty' });
    expect(() => render('x', { name: ' ' }, '{{ name }}')).toThrow('is empty');
    expect(render('x', {}, null).subject).toBeNull();
  });
});
