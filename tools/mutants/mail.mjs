// Mail of outreach: a message whose mark is not written does not leave, and what a stranger has written does no harm.
import { mutant } from './mutant.mjs';

const MAIL = 'libs/domains/outreach/src/mail';
const SENDING = `${MAIL}/smtp-transport.spec.ts`;
const COMPOSING = `${MAIL}/compose-mail.spec.ts`;
const READING = `${MAIL}/read-inbound.spec.ts`;
const READER = `${MAIL}/imap-reader.spec.ts`;

export const MAIL_MUTANTS = [
  mutant('mail: no byte without its mark', SENDING, 'sends nothing when the mark is refused', [
    `${MAIL}/smtp-transport.ts`,
    'if (!(await marking)) throw new NotMarkedError();',
    'await marking;',
  ]),
  mutant('mail: no byte after the connection has broken', SENDING, 'breaks while the mark is written', [
    `${MAIL}/smtp-transport.ts`,
    'if (this.isOver) return;',
    '',
  ]),
  mutant('mail: the end waits for the mark', SENDING, 'breaks while the mark is written', [
    `${MAIL}/smtp-transport.ts`,
    'await this.marking;',
    '',
  ]),
  mutant('mail: nobody knows once a byte has left', SENDING, 'says unknown, and has marked', [
    `${MAIL}/smtp-transport.ts`,
    'this.hasBegun = true;',
    '',
  ]),
  mutant('mail: never without TLS', SENDING, 'never speaks without TLS', [
    `${MAIL}/smtp-transport.ts`,
    'requireTLS: true,',
    'opportunisticTLS: true,',
  ]),
  mutant('mail: ports of mail servers', SENDING, 'connects to no private address and no other port', [
    `${MAIL}/mail-network.ts`,
    '!ports.includes(port) && !guard.isAllowedAt(host, port)',
    '!ports.includes(port) && port === 0',
  ]),
  mutant('mail: an inbox is not changed', READER, 'opens folders to look at them only', [
    `${MAIL}/imap-reader.ts`,
    '{ readOnly: true }',
    '{ readOnly: false }',
  ]),
  mutant('mail: addresses make no headers', COMPOSING, 'is not composed of', [
    `${MAIL}/compose-mail.ts`,
    "requireForm(ADDRESS, mail.to, 'The address of the recipient');",
    '',
  ]),
  mutant('mail: unsubscribing is signed', COMPOSING, 'is signed so that the public key', [
    `${MAIL}/compose-mail.ts`,
    "    'List-Unsubscribe-Post',\n  ],",
    '  ],',
  ]),
  mutant('mail: links lead to https and mail', READING, 'runs, loads and asks nothing', [
    `${MAIL}/safe-html.ts`,
    "allowedSchemes: ['https', 'mailto'],",
    "allowedSchemes: ['https', 'mailto', 'http'],",
  ]),
  mutant('mail: lines that are read', READING, 'is read in bounded time: quoted lines', [
    `${MAIL}/read-inbound.ts`,
    'lines < LINES_MAX',
    'lines < Infinity',
  ]),
  mutant('mail: tags that are read', READING, 'is read in bounded time: deep HTML', [
    `${MAIL}/safe-html.ts`,
    'html.slice(0, tagsEnd(html))',
    'html',
  ]),
];
