import { describe, expect, it } from '@jest/globals';
import { createHash, createVerify, generateKeyPairSync } from 'node:crypto';
import PostalMime, { type Email } from 'postal-mime';
import { composeMail } from './compose-mail.js';
import { htmlOfText } from './html-of-text.js';
import type { OutgoingMail } from './mail-transport.port.js';
import { outgoingMail } from './outgoing-mail.fixture.js';

async function composed(fields: Partial<OutgoingMail> = {}): Promise<{ raw: string; mail: Email }> {
  const raw = await composeMail(outgoingMail(fields));
  return { raw: raw.toString('latin1'), mail: await PostalMime.parse(raw) };
}
const headersOf = ({ headers }: Email, name: string): string[] =>
  headers.filter(({ key }) => key === name).map(({ value }) => value);

describe('an outgoing mail', () => {
  it('has a text part, the same as HTML, and its ids', async () => {
    const { mail } = await composed({
      inReplyTo: 'msg_0@sender.example',
      references: ['msg_0@sender.example'],
    });
    expect(mail).toMatchObject({
      from: { address: 'ada@sender.example', name: 'Ada Löwe' },
      to: [{ address: 'grace@customer.example' }],
      subject: 'Grüße from Berlin',
      messageId: '<msg_1@sender.example>',
      inReplyTo: '<msg_0@sender.example>',
      references: '<msg_0@sender.example>',
      date: '2026-11-27T10:00:00.000Z',
      attachments: [],
    });
    const { text } = outgoingMail();
    expect(mail.text!.trim()).toBe(text);
    expect(mail.html!.trim()).toBe(htmlOfText(text));
  });

  it('offers unsubscribing by one click and by mail, or no trace of it', async () => {
    const { mail } = await composed();
    expect(headersOf(mail, 'list-unsubscribe')).toEqual([
      '<https://quarry.example/u/token-of-grace>, <mailto:ada@sender.example?subject=unsubscribe%20token-of-grace>',
    ]);
    expect(headersOf(mail, 'list-unsubscribe-post')).toEqual(['List-Unsubscribe=One-Click']);
    const { raw } = await composed({ unsubscribe: null });
    expect(raw).not.toMatch(/unsubscribe/i);
  });

  it('says neither that it is automatic nor which program made it, and has no tracking pixel', async () => {
    const { raw } = await composed();
    expect(raw).not.toMatch(/^(?:auto-submitted|precedence|x-[\w-]+|user-agent):/im);
    expect(raw).not.toMatch(/<img/i);
  });

  it('references its last 20 ancestors, and no invalid ids', async () => {
    const references = [
      ...Array.from({ length: 25 }, (_, at) => `msg_${at}@sender.example`),
      'a\r\nBcc: x@y.example',
    ];
    const { mail } = await composed({ references, inReplyTo: 'a> <b' });
    const named = mail.references!.split(/\s+/);
    expect(named).toHaveLength(20);
    expect(named.at(-1)).toBe('<msg_24@sender.example>');
    expect(mail.inReplyTo).toBeUndefined();
  });

  it.each<[string, Partial<OutgoingMail>]>([
    ['subject', { subject: 'Hello\r\nBcc: x@evil.example\r\n\r\nbody' }],
    ['name', { from: { address: 'ada@sender.example', name: 'Ada\r\nBcc: x@evil.example' } }],
    ['name with an address', { from: { address: 'ada@sender.example', name: '"<x@evil.example>, "' } }],
  ])('gets no extra header from its %s', async (_, fields) => {
    const { mail } = await composed(fields);
    expect(mail.bcc).toBeUndefined();
    expect(mail.from).toMatchObject({ address: 'ada@sender.example' });
    expect(mail.headers.map(({ key }) => key)).toEqual((await composed()).mail.headers.map(({ key }) => key));
  });

  it.each<[Partial<OutgoingMail>]>([
    [{ to: 'grace@customer.example\r\nBcc: x@evil.example' }],
    [{ to: 'grace@customer.example, x@evil.example' }],
    [{ from: { address: 'ada@sender.example>', name: null } }],
    [{ messageId: 'a@b>\r\nBcc: x@evil.example' }],
    [{ unsubscribe: { url: 'https://a.example/>\r\nBcc: x', mailto: 'mailto:a@b.example' } }],
  ])('is not composed with the invalid %j', async (fields) => {
    await expect(composed(fields)).rejects.toThrow(/malformed/);
  });

  it("is signed so that the domain's public key verifies it, including the unsubscribe headers", async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const dkim = { domain: 'sender.example', selector: 'quarry', privateKey };
    const { raw } = await composed({ dkim });
    const signed = signatureOf(raw);
    expect(signed.tags).toMatchObject({
      d: 'sender.example',
      s: 'quarry',
      a: 'rsa-sha256',
      c: 'relaxed/relaxed',
    });
    expect(signed.tags.h!.split(':')).toEqual(
      expect.arrayContaining([
        'from',
        'to',
        'subject',
        'date',
        'message-id',
        'list-unsubscribe',
        'list-unsubscribe-post',
      ]),
    );
    expect(isSigned(raw, publicKey)).toBe(true);
    expect(isSigned(raw.replace('token-of-grace', 'token-of-somebody'), publicKey)).toBe(false);
    expect(isSigned(raw.replace('Hello Grace', 'Hello Alan'), publicKey)).toBe(false);
    await expect(composed({ dkim: { ...dkim, privateKey: 'no key' } })).rejects.toThrow(/does not sign/);
  });
});

describe('the HTML version of a text', () => {
  it('has paragraphs, breaks and links, and escapes HTML in the text', () => {
    expect(htmlOfText('Hi <b>\n"there" & \'here\'\r\n\r\n\nBye\n')).toBe(
      '<p>Hi &lt;b&gt;<br>\n&quot;there&quot; &amp; &#39;here&#39;</p>\n<p>Bye</p>',
    );
    const linked = (text: string): string[] =>
      [...htmlOfText(text).matchAll(/href="([^"]*)"/g)].map(([, to]) => to!);
    expect(linked('See https://a.example/b?c=1&d=2, or (http://e.example/f). https://g.example/(h)')).toEqual(
      ['https://a.example/b?c=1&amp;d=2', 'http://e.example/f', 'https://g.example/(h)'],
    );
    expect(linked('javascript:alert(1) https:// https://"onclick="x')).toEqual([]);
  });

  it('is made in linear time, even for a URL of punctuation', () => {
    const before = process.cpuUsage();
    htmlOfText(`https://${'.'.repeat(250_000)}a`);
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
  });
});

/** Source: RFC 6376, 3.4.2 and 3.7. */
function signatureOf(raw: string): { tags: Record<string, string>; headers: string[]; body: string } {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const headers = head.replace(/\r\n[ \t]/g, ' ').split('\r\n');
  const field = headers.find((line) => /^dkim-signature:/i.test(line)) ?? '';
  const tags = field
    .slice(field.indexOf(':') + 1)
    .split(';')
    .map((tag) => /^\s*(\w+)=(.*)$/s.exec(tag))
    .flatMap((match) => (match ? [[match[1]!, match[2]!.replace(/\s+/g, '')]] : []));
  return { tags: Object.fromEntries(tags) as Record<string, string>, headers, body: rest.join('\r\n\r\n') };
}

function isSigned(raw: string, publicKey: string): boolean {
  const { tags, headers, body } = signatureOf(raw);
  const relaxed = (line: string): string => {
    const [, name = '', value = ''] = /^([^:]+):(.*)$/s.exec(line)!;
    return `${name.toLowerCase()}:${value.replace(/[ \t]+/g, ' ').trim()}`;
  };
  const canonical = `${body
    .replace(/[ \t]+/g, ' ')
    .replace(/ (?=\r\n)/g, '')
    .replace(/(?:\r\n)*$/, '')}\r\n`;
  if (createHash('sha256').update(canonical, 'latin1').digest('base64') !== tags.bh) return false;
  const of = (name: string): string => headers.findLast((line) => line.toLowerCase().startsWith(`${name}:`))!;
  const signature = relaxed(of('dkim-signature'))
    .replace(/(;\s*b=)[^;]*/, '$1')
    .trimEnd();
  const text = [...tags.h!.split(':').map((name) => relaxed(of(name))), signature].join('\r\n');
  return createVerify('RSA-SHA256').update(text, 'latin1').verify(publicKey, tags.b!, 'base64');
}
