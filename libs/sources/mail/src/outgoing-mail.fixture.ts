import type { OutgoingMail } from './mail-transport.port.js';

/** Creates a message as a sequence sends it. */
export function outgoingMail(fields: Partial<OutgoingMail> = {}): OutgoingMail {
  return {
    from: { address: 'ada@sender.example', name: 'Ada Löwe' },
    to: 'grace@customer.example',
    subject: 'Grüße from Berlin',
    text: 'Hello Grace,\n\nhave a look at https://sender.example/a?b=1&c=2.\n\nAda',
    messageId: 'msg_1@sender.example',
    inReplyTo: null,
    references: [],
    date: new Date('2026-11-27T10:00:00Z'),
    unsubscribe: {
      url: 'https://quarry.example/u/token-of-grace',
      mailto: 'mailto:ada@sender.example?subject=unsubscribe%20token-of-grace',
    },
    dkim: null,
    ...fields,
  };
}
