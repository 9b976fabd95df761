import { describe, expect, it } from '@jest/globals';
import { parseDocument, textsOf, type PageElement } from './page-document.js';

const LIMITS = { elementsMax: 100, depthMax: 10 };

function bodyOf(html: string): PageElement {
  return parseDocument(`<html><body>${html}</body></html>`, LIMITS).body;
}

describe('the document of a page', () => {
  it('has one text node for text with entities', () => {
    const texts = [...textsOf(bodyOf('a &amp; b&nbsp;<i>c</i>&lt;'))];
    expect(texts.map(({ data }) => data)).toEqual(['a & b\xA0', 'c', '<']);
  });

  it('is searched by selectors, but not within a template', () => {
    const body = bodyOf('<p class="a">1</p><template><p>2</p></template><i>3</i><P>4</P>');
    expect(body.querySelectorAll('p, i').map(({ textContent }) => textContent)).toEqual(['1', '3', '4']);
    expect(body.querySelectorAll('p:not([class])').map(({ textContent }) => textContent)).toEqual(['4']);
    expect(body.querySelector('i')!.closest('body')).toBe(body);
  });

  it.each([
    '<p class="a" title="&quot;">1 &lt; 2 &amp; 3&#160;</p><br><img src="a">',
    '<script>a < b && c</script><style>p > a {}</style><!-- a > b -->',
    '<input checked><svg><path d="1" /></svg><p></p>',
  ])('is serialised as it was read: %s', (html) => {
    expect(bodyOf(html).innerHTML).toBe(html);
  });

  it('keeps the order of its nodes when they are moved', () => {
    const body = bodyOf('<a></a><b></b><i></i>');
    const [a, b, i] = body.children;
    body.appendChild(a!);
    expect(body.innerHTML).toBe('<b></b><i></i><a></a>');
    body.insertBefore(a!, i!);
    i!.replaceWith(body.ownerDocument!.createTextNode('x'));
    expect(body.innerHTML).toBe('<b></b><a></a>x');
    b!.remove();
    expect([body.firstChild, body.lastElementChild]).toEqual([a, a]);
    expect([b!.parentNode, b!.nextSibling, a!.previousSibling]).toEqual([null, null, null]);
    body.innerHTML = 'y<p>z</p>';
    expect([body.textContent, body.children.length]).toEqual(['yz', 1]);
  });

  it('gets a head and a body if the page has none', () => {
    const document = parseDocument('<html><title>t</title><p>x</p></html>', LIMITS);
    expect([document.title, document.body.textContent]).toEqual(['', '']);
    expect(document.toString()).toBe('<html><head></head><body></body><title>t</title><p>x</p></html>');
  });

  it('keeps a limited number of attributes per element', () => {
    const many = Array.from({ length: 20_000 }, (_, at) => `a${at}="${at}"`).join(' ');
    const font = bodyOf(`<font ${many}>x</font>`).querySelector('font')!;
    expect([font.attributes.length, font.getAttribute('a199'), font.getAttribute('a200')]).toEqual([
      200,
      '199',
      null,
    ]);
  });

  it.each([
    ['more elements than the limit', '<p>'.repeat(101)],
    ['more elements than the limit, closed', '<p></p>'.repeat(101)],
    ['too deeply nested elements', '<div>'.repeat(11)],
  ])('is refused for a page with %s', (_, html) => {
    expect(() => parseDocument(html, LIMITS)).toThrow(RangeError);
  });

  it('accepts a page that only seems to have too many elements', () => {
    const document = parseDocument(`<script>${'a<b;'.repeat(200)}</script>`, LIMITS);
    expect(document.querySelectorAll('*')).toHaveLength(1);
  });
});
