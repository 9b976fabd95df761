const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const LINK = /https?:\/\/[^\s<>"]+/g;
/** Punctuation after an address that belongs to the sentence and not to the address. */
const SENTENCE_END = /[.,;:!?'\])]{1,20}$/;

/** Returns plain text as HTML: paragraphs, line breaks and links, with everything else escaped. */
export function htmlOfText(text: string): string {
  const paragraphs = text
    .replace(/\r\n?/g, '\n')
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.replace(/^\n|\n$/g, ''));
  return paragraphs
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => `<p>${linkAddresses(paragraph).replaceAll('\n', '<br>\n')}</p>`)
    .join('\n');
}

function linkAddresses(text: string): string {
  let html = '';
  let end = 0;
  for (const { 0: found, index } of text.matchAll(LINK)) {
    const url = linkOf(found);
    html += escapeHtml(text.slice(end, index));
    html += URL.canParse(url) ? `<a href="${escapeHtml(url)}">${escapeHtml(url)}</a>` : escapeHtml(url);
    end = index + url.length;
  }
  return html + escapeHtml(text.slice(end));
}

function linkOf(found: string): string {
  const [tail = ''] = SENTENCE_END.exec(found) ?? [];
  // A closing bracket belongs to the address when the address contains the opening one.
  const kept = found.includes('(') && tail.startsWith(')') ? 1 : 0;
  return found.slice(0, found.length - tail.length + kept);
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => ESCAPES[letter]!);
}
