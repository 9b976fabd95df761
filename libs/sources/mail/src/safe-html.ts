import sanitizeHtml from 'sanitize-html';

/** Maximum number of characters of HTML that are read. Typical: under 100,000. */
const HTML_MAX = 250_000;
/** Maximum number of tags: for each opening tag the parser shifts all open ones. */
const TAGS_MAX = 10_000;
const DEPTH_MAX = 100;
const BLOCKS = ['p', 'div', 'blockquote', 'pre', 'ul', 'ol', 'li', 'table', 'tr', 'hr'].concat([
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
]);
const OPTIONS: sanitizeHtml.IOptions = {
  allowedTags: [
    ...BLOCKS,
    'br',
    'span',
    'a',
    'b',
    'strong',
    'i',
    'em',
    'u',
    's',
    'code',
    'sub',
    'sup',
    'thead',
    'tbody',
    'tfoot',
    'td',
    'th',
  ],
  allowedAttributes: { a: ['href', 'rel', 'target'], td: ['colspan', 'rowspan'], th: ['colspan', 'rowspan'] },
  allowedSchemes: ['https', 'mailto'],
  allowedSchemesAppliedToAttributes: ['href'],
  allowProtocolRelative: false,
  // The content of these elements is not text of the message.
  nonTextTags: [
    'script',
    'style',
    'textarea',
    'option',
    'select',
    'noscript',
    'title',
    'head',
    'template',
    'svg',
    'math',
    'iframe',
    'object',
    'xmp',
    'noembed',
    'noframes',
    'plaintext',
  ],
  disallowedTagsMode: 'discard',
  nestingLimit: DEPTH_MAX,
  enforceHtmlBoundary: false,
  transformTags: {
    a: (_, { href }): sanitizeHtml.Tag => ({
      tagName: 'a',
      attribs: href === undefined ? {} : { href, rel: 'noopener noreferrer nofollow', target: '_blank' },
    }),
  },
};

/** Returns sanitised HTML: text, its structure and links; nothing that runs, loads or submits. */
export function safeHtmlOf(html: string): string {
  return sanitizeHtml(html.slice(0, tagsEnd(html)), OPTIONS).trim();
}

/** @returns the offset of the end of the part that is read */
function tagsEnd(html: string): number {
  let at = html.indexOf('<');
  for (let tags = 0; at >= 0 && at < HTML_MAX && tags < TAGS_MAX; tags += 1) at = html.indexOf('<', at + 1);
  return at < 0 ? HTML_MAX : Math.min(at, HTML_MAX);
}

const BREAKS = new RegExp(`<br ?/?>|</(?:${BLOCKS.join('|')})>|<hr ?/?>`, 'g');
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

/** @param html from {@link safeHtmlOf}, which closes every element and escapes only these four characters */
export function textOfSafeHtml(html: string): string {
  return html
    .replace(/\s+/g, ' ')
    .replace(BREAKS, '\n')
    .replace(/<[^>]*>/g, '')
    .replace(/&(amp|lt|gt|quot);/g, (_, name: string) => ENTITIES[name]!)
    .replace(/ {2,}/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
