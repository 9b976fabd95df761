import { describe, expect, it } from '@jest/globals';
import { printMeasurement, measureThread, TEXT_CPU_MS_MAX, worstTexts } from '@quarry/test-servers';
import { deliveryReport, inboundMail } from './inbound-mail.fixture.js';
import type { InboundMail } from './inbound-mail.js';
import { outgoingMail } from './outgoing-mail.fixture.js';
import { splitQuoted } from './quoted-text.js';
import { readInbound } from './read-inbound.js';
import { safeHtmlOf, textOfSafeHtml } from './safe-html.js';
import { controlWordOf, sinkAnswer } from './sink.js';

const OWN = { address: 'ada@sender.example' };
const read = (body: string, headers: Record<string, string | null> = {}): Promise<InboundMail> =>
  readInbound(inboundMail(body, headers), OWN);

describe('an incoming mail', () => {
  it('is read with its ids, sender and text', async () => {
    expect(await read('Sounds good.\n\nGrace\n')).toEqual({
      messageId: 'answer-1@customer.example',
      from: { address: 'grace@customer.example', name: 'Grace Hopper' },
      subject: 'Re: Greetings from Berlin',
      inReplyTo: 'msg_1@sender.example',
      references: ['msg_0@sender.example', 'msg_1@sender.example'],
      text: 'Sounds good.\n\nGrace',
      quotedText: null,
      html: null,
      kind: 'reply',
      bounces: [],
      unsubscribeToken: null,
    });
  });

  it('has a stable id made of its bytes if it names none', async () => {
    const [first, again, other] = await Promise.all([
      read('Yes', { 'Message-ID': null }),
      read('Yes', { 'Message-ID': null }),
      read('No', { 'Message-ID': null }),
    ]);
    expect(first.messageId).toBe(again.messageId);
    expect(first.messageId).not.toBe(other.messageId);
  });

  it('contains nothing that the database cannot store', async () => {
    const mail = await read('a\0b', {
      Subject: '=?utf-8?B?YQBi?= =?utf-8?Q?c=0D=0ABcc:_x?=',
      'Message-ID': `<${'x'.repeat(5000)}@customer.example>`,
    });
    expect(JSON.stringify(mail)).not.toContain('\\u0000');
    expect(mail.subject).not.toMatch(/[\r\n]/);
    expect(mail.messageId.length).toBeLessThan(255);
  });

  it('is read as far as possible even if it is no valid mail', async () => {
    for (const raw of ['', '\r\n\r\n', 'hello', '\xff\xfe\0', 'From: \r\n\r\n'])
      expect(await readInbound(Buffer.from(raw, 'latin1'), OWN)).toMatchObject({
        from: { address: '' },
        kind: 'reply',
      });
  });

  it('keeps the beginning of a text with many rules', async () => {
    const { text } = await read(`Hello\n${'--- a log\n'.repeat(2000)}`);
    expect(text).toMatch(/^Hello\n--- a log/);
  });

  it('gets its text from its HTML if there is no other', async () => {
    const html =
      '<p>Sounds&nbsp;good, <b>5 &lt; 6</b>.</p><div>Grace<br>Hopper</div><script>alert(1)</script>';
    expect(await read(html, { 'Content-Type': 'text/html' })).toMatchObject({
      text: 'Sounds good, 5 < 6.\nGrace\nHopper',
      html: '<p>Sounds\u00a0good, <b>5 &lt; 6</b>.</p><div>Grace<br />Hopper</div>',
    });
  });
});

describe('quoted text in a mail', () => {
  const QUOTE = 'Hello Grace,\nhave a look.';
  it.each([
    [
      'Gmail',
      'Yes!\n\nOn Fri, Nov 27, 2026 at 10:00 AM Ada <ada@sender.example> wrote:\n\n> Hello Grace,\n> have a look.',
    ],
    [
      'Gmail, broken',
      'Yes!\n\nOn Fri, Nov 27, 2026 at 10:00 AM Ada Löwe, of Sender,\n<ada@sender.example> wrote:\n\n> Hello',
    ],
    [
      'Gmail in German',
      'Yes!\n\nAm Fr., 27. Nov. 2026 um 10:00 Uhr schrieb Ada <ada@sender.example>:\n\n> Hello',
    ],
    ['Thunderbird in German', 'Yes!\n\nAda schrieb am 27.11.26 um 10:00:\n> Hello'],
    ['Apple', `Yes!\n\n> On 27. Nov 2026, at 10:00, Ada <ada@sender.example> wrote:\n> \n> Hello`],
    ['HTML', `Yes!\n\nOn Fri, Nov 27, 2026, Ada wrote:\n${QUOTE}`],
    [
      'Outlook',
      `Yes!\n\n-----Original Message-----\nFrom: Ada\nSent: Friday\nTo: Grace\nSubject: Hi\n\n${QUOTE}`,
    ],
    [
      'current Outlook',
      `Yes!\n\nFrom: Ada <ada@sender.example>\nSent: Friday\nTo: Grace\nSubject: Hi\n\n${QUOTE}`,
    ],
    ['Outlook in German', `Yes!\n\nVon: Ada\nGesendet: Freitag\nAn: Grace\nBetreff: Hi\n\n${QUOTE}`],
    ['Outlook in French', `Yes!\n\nDe : Ada\nEnvoyé : lundi\nÀ : Grace\nObjet : Hi\n\n${QUOTE}`],
    ['Outlook in Italian', `Yes!\n\nDa: Ada\nInviato: lunedì\nA: Grace\nOggetto: Hi\n\n${QUOTE}`],
    ['Outlook in Dutch', `Yes!\n\nVan: Ada\nVerzonden: maandag\nAan: Grace\nOnderwerp: Hi\n\n${QUOTE}`],
    ['Outlook in Portuguese', `Yes!\n\nDe: Ada\nEnviado: segunda\nPara: Grace\nAssunto: Hi\n\n${QUOTE}`],
    ['Outlook in Polish', `Yes!\n\nOd: Ada\nWysłano: poniedziałek\nDo: Grace\nTemat: Hi\n\n${QUOTE}`],
    ['Outlook in Swedish', `Yes!\n\nFrån: Ada\nSkickat: måndag\nTill: Grace\nÄmne: Hi\n\n${QUOTE}`],
    ['Outlook in Danish', `Yes!\n\nFra: Ada\nSendt: mandag\nTil: Grace\nEmne: Hi\n\n${QUOTE}`],
    [
      'Portuguese',
      `Yes!\n\nEm seg., 30 de nov. de 2026 às 10:00, Ada <ada@x.example>\nescreveu:\n\n${QUOTE}`,
    ],
    ['Polish', `Yes!\n\npon., 30 lis 2026 o 10:00 Ada <ada@x.example> napisał(a):\n\n${QUOTE}`],
    ['Swedish', `Yes!\n\nDen mån 30 nov. 2026 kl 10:00 skrev Ada <ada@x.example>:\n\n${QUOTE}`],
    ['Norwegian', `Yes!\n\nman. 30. nov. 2026 kl. 10:00 skrev Ada <ada@x.example>:\n\n${QUOTE}`],
    [
      'Outlook on the web',
      `Yes!\n\n________________________________\nFrom: Ada\nSent: Friday\nTo: Grace\n\n${QUOTE}`,
    ],
  ])('is separated from the reply: %s', async (_, body) => {
    const mail = await read(body);
    expect(mail.text).toBe('Yes!');
    expect(mail.quotedText).toContain('Hello');
  });

  it('is separated from a reply below it, and from replies between its lines', async () => {
    const below = await read('On Friday, Ada wrote:\n> Hello\n\nYes!\n');
    expect(below).toMatchObject({ text: 'Yes!', quotedText: 'On Friday, Ada wrote:\n> Hello' });
    const between = await read('> Tuesday?\nYes.\n> At ten?\nAt eleven.\n');
    expect(between).toMatchObject({ text: 'Yes.\nAt eleven.', quotedText: '> Tuesday?\n> At ten?' });
  });

  it('is kept if nothing else was written', async () => {
    expect(await read('> Hello')).toMatchObject({ text: '> Hello', quotedText: null });
  });

  it.each([
    'From: my point of view this is fine.\nOn Monday I wrote: let us talk.\nSee --- below.',
    'Hej!\nDen offert du skrev om ser bra ut, men:\nPriset är för högt.',
    'Hej!\nDen mail, som du skrev i går, giver mening, men:\nPrisen er for høj.',
    'Olá!\nEm resposta ao que o Paulo escreveu:\nSim.',
    'Witam!\nW dniu wczorajszym szef napisał:\nTak.',
    'Możemy się spotkać.\nOd: 10:00\nDo: 12:00\nTemat: demo\nCzy pasuje?',
    'Vi kan møtes.\nFra: kl. 10\nTil: kl. 12\nEmne: demo\nPasser det?',
    'Let us meet.\nFrom: 10 am\nTo: 12 am\nSubject: demo\nIs that fine?',
  ])("is not recognised in the sender's own sentences: %j", async (body) => {
    expect(await read(body)).toMatchObject({ text: body, quotedText: null });
  });
});

describe('the kind of a mail', () => {
  it.each<[string, Record<string, string | null>]>([
    ['RFC 3834', { 'Auto-Submitted': 'auto-replied; owner-email="x@y.example"' }],
    ['an older header', { Precedence: 'bulk' }],
    ['Exchange', { 'X-Auto-Response-Suppress': 'All' }],
    ['a responder', { 'X-Autoreply': 'yes' }],
    ['an empty return path', { 'Return-Path': '<>' }],
    ['its subject', { Subject: 'Automatic reply: Greetings from Berlin' }],
    ['its subject in German', { Subject: 'Abwesenheitsnotiz: Greetings' }],
    ['its subject in Swedish', { Subject: 'Automatiskt svar: Greetings' }],
    ['a receipt', { 'Content-Type': 'multipart/report; report-type=disposition-notification; boundary=x' }],
  ])('is "away" by %s', async (_, headers) => {
    expect((await read('I am out of the office. Please unsubscribe me.', headers)).kind).toBe('away');
  });

  it('is a reply if a person mentions being away, or a header says it is not automatic', async () => {
    expect((await read('I am back.', { Subject: 'Re: Out of office furniture' })).kind).toBe('reply');
    expect((await read('Yes.', { 'Auto-Submitted': 'no' })).kind).toBe('reply');
  });

  it.each([
    'Please unsubscribe me.',
    'STOP',
    'Remove me from your list, thanks',
    'Please don’t contact me again.',
    'I no longer wish to receive these.',
    'Bitte melden Sie mich ab bzw. nehmen Sie mich aus Ihrem Verteiler.',
    'Ich möchte mich abmelden.',
    'Bitte keine weiteren E-Mails.',
    'Bitte schreiben Sie mir nicht mehr.',
    'Löschen Sie meine Daten.',
    'Merci de me désabonner.',
    'Merci de ne plus me contacter.',
    'Je ne souhaite plus recevoir vos messages.',
    'Supprimez-moi de votre liste.',
    'Por favor, denme de baja.',
    'No me escriba más, gracias.',
    'No quiero recibir sus correos.',
    'Não me envie mais mensagens.',
    'Remova o meu e-mail da lista.',
    'Cancellatemi dalla lista.',
    'Per favore, non contattatemi più.',
    'Non desidero ricevere altre mail.',
    'Graag uitschrijven.',
    'Stuur geen mails meer.',
    'Ik wil niet meer benaderd of gemaild worden, graag afmelden.',
    'Proszę mnie wypisać z listy.',
    'Proszę więcej do mnie nie pisać.',
    'Nie życzę sobie dalszych wiadomości.',
    'Vänligen avregistrera mig.',
    'Kontakta mig inte igen.',
    'Skriv ikke til mig igen.',
    'Ikke kontakt meg igjen.',
    'Jag vill inte ha fler mejl.',
    'Venligst fjern mig fra listen.',
    'Ikke flere mails, tak.',
    'Ich möchte keine weiteren E-Mails erhalten.',
    'Nehmen Sie mich bitte von Ihrer Liste.',
    'Bitte aus der Datenbank löschen.',
    'Wir wollen von Ihrer Liste runter.',
    'Please do not contact me by phone or email.',
    'Nous ne voulons plus de vos mails.',
    'Je ne veux plus de pub.',
    'Nous ne souhaitons plus être contactés.',
    'Veuillez retirer mon adresse de votre liste.',
    'No nos envíen mas correos.',
    'Elimínenme de su lista.',
    'Não quero receber mais e-mails.',
    'Cancellate il mio indirizzo.',
    'Ik wil me afmelden voor uw nieuwsbrief.',
    'Ik heb al gevraagd: geen mails meer.',
    'Proszę o usunięcie mojego adresu z bazy.',
    'Proszę usunąć moje dane.',
    'Proszę nie wysyłać mi więcej maili.',
    'Jag vill avanmäla mig från utskicket.',
    'Jeg har ingen interesse, ingen flere mails.',
  ])('is an unsubscribe request for: %s', async (text) => {
    expect((await read(`${text}\n\nGrace\n\nOn Friday, Ada wrote:\n> Hello`)).kind).toBe('unsubscribe');
  });

  it.each([
    'Yes, send me more.',
    'We never stop learning. Let us talk on Monday.',
    'I do not want to unsubscribe, on the contrary.',
    'Non, mais envoyez plus de détails.',
    'Nous ne cherchons pas cela, contactez plutôt mon collègue.',
    'No, gracias. Me interesa más en enero.',
    'Não, mas envie mais detalhes.',
    'Al momento no. Mi contatti più avanti.',
    'Nu even niet, mail mij in januari meer details.',
    'Proszę napisać więcej w styczniu.',
    'Inte nu, kontakta mig gärna igen i januari.',
    'Ikke nu, men skriv til mig igen til januar.',
    'Skriv ikke til mig før januar, men gerne igen derefter.',
    'Send ikke til mig mere end én pris ad gangen.',
    'Synd at du ikke kontakta meg igjen, passer det torsdag?',
    'Jag vill inte ha fler mejl än det med priset.',
    "Please don't contact me before Monday.",
    "Don't contact me by phone, email is best.",
    'Ich habe keine E-Mail erhalten.',
    'Für Donnerstag muss ich mich leider abmelden, geht Freitag?',
    'Ich muss mich für morgen abmelden, geht Donnerstag?',
    'Können Sie mir die Preise von Ihrer Liste senden?',
    'Merci, mais nous ne voulons plus de nouveaux outils cette année.',
    'Nous ne désirons plus être en retard : quand commence-t-on ?',
    'Je dois retirer notre commande demain, on en parle après ?',
    'No me mandó más detalles, ¿puede reenviarlos?',
    'No me contacte más tarde de las seis.',
    'No quiero recibir la demo por Zoom sino en persona.',
    'Eliminamos mi reunión del martes, ¿le viene bien el jueves?',
    'Não me mandou mais detalhes, pode reenviar?',
    'Não pretendo receber a proposta antes de sexta.',
    'Ho cancellato il mio appuntamento, possiamo rifare giovedì?',
    'Non desideriamo ricevere la fornitura prima di marzo.',
    'Helaas moet ik mij afmelden voor ons gesprek van morgen.',
    'Wij hebben geen mails meer van u ontvangen, kunt u het opnieuw sturen?',
    'Ik heb de bijlage niet meer ontvangen.',
    'Proszę wypisać fakturę na firmę.',
    'Proszę nie wysyłać umowy przed piątkiem.',
    'Proszę o usunięcie punktu 3, resztę akceptuję.',
    'Vi har inga fler mail från er, kan ni skicka igen?',
    'Jag måste avanmäla mig från mötet i morgon.',
    'Jeg bliver nødt til at afmelde mødet i morgen.',
    'Send meg ikke mer enn to sider.',
    `${'We use another tool at the moment. '.repeat(20)} How do people unsubscribe with yours?`,
  ])('is a reply for: %s', async (text) => {
    expect((await read(text)).kind).toBe('reply');
  });

  it('is not derived from quoted text', async () => {
    expect((await read('Yes!\n\nOn Friday, Ada wrote:\n> To unsubscribe, answer STOP')).kind).toBe('reply');
  });

  it('is an unsubscribe request with a token, even from a program, but only if sent to us', async () => {
    const headers = { Subject: 'unsubscribe token-of-grace', 'Auto-Submitted': 'auto-generated' };
    expect(await read('', headers)).toMatchObject({
      kind: 'unsubscribe',
      unsubscribeToken: 'token-of-grace',
    });
    expect(await read('', { ...headers, To: 'else@sender.example' })).toMatchObject({
      unsubscribeToken: null,
    });
    expect(await read('', { ...headers, Subject: 'unsubscribe' })).toMatchObject({ unsubscribeToken: null });
  });
});

/** Reports as each program writes them. */
const REPORTS = {
  postfix: deliveryReport(
    [
      'Content-Description: Notification\nContent-Type: text/plain; charset=us-ascii\n\nThis is the mail system at host mx.customer.example.\n\n<nobody@customer.example>: host said: 550 5.1.1 User unknown',
      'Content-Description: Delivery report\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.sender.example\nX-Postfix-Queue-ID: 4F1D2\nX-Postfix-Sender: rfc822; ada@sender.example\nArrival-Date: Fri, 27 Nov 2026 10:00:00 +0000 (UTC)\n\nFinal-Recipient: rfc822; Nobody@Customer.example\nOriginal-Recipient: rfc822;nobody@customer.example\nAction: failed\nStatus: 5.1.1\nRemote-MTA: dns; mx.customer.example\nDiagnostic-Code: smtp; 550 5.1.1 <nobody@customer.example>: Recipient address\n    rejected: User unknown in local recipient table',
      'Content-Description: Undelivered Message Headers\nContent-Type: text/rfc822-headers\n\nReceived: from x by y\nFrom: Ada <ada@sender.example>\nMessage-Id:\n <msg_1@sender.example>\nSubject: Hello',
    ],
    { From: 'MAILER-DAEMON@mx.sender.example (Mail Delivery System)', 'Auto-Submitted': 'auto-replied' },
  ),
  gmail: deliveryReport(
    [
      'Content-Type: multipart/related; boundary="inner"\n\n--inner\nContent-Type: multipart/alternative; boundary="alt"\n\n--alt\nContent-Type: text/plain; charset="UTF-8"\n\n** Address not found **\n\nYour message wasn\'t delivered.\n\n--alt\nContent-Type: text/html; charset="UTF-8"\n\n<p>Address not found</p><img src="cid:icon.png">\n\n--alt--\n\n--inner\nContent-Type: image/png; name="icon.png"\nContent-Transfer-Encoding: base64\nContent-ID: <icon.png>\n\niVBORw0KGgo=\n\n--inner--\n',
      'Content-Type: message/delivery-status\n\nReporting-MTA: dns; googlemail.com\nArrival-Date: Fri, 27 Nov 2026 02:00:00 -0800 (PST)\nX-Original-Message-ID: <msg_1@sender.example>\n\nFinal-Recipient: rfc822; nobody@customer.example\nAction: failed\nStatus: 5.1.1\nRemote-MTA: dns; gmail-smtp-in.l.google.com. (1.2.3.4, the server for the domain customer.example.)\nDiagnostic-Code: smtp; 550-5.1.1 The email account that you tried to reach does not exist.\nLast-Attempt-Date: Fri, 27 Nov 2026 02:00:01 -0800 (PST)\n',
      'Content-Type: message/rfc822\n\nX-Received: by x\nMessage-ID: <msg_1@sender.example>\nFrom: Ada <ada@sender.example>\nSubject: Hello\nContent-Type: text/plain\n\nMessage-ID: <in-the-text@sender.example>\n',
    ],
    {
      From: 'Mail Delivery Subsystem <mailer-daemon@googlemail.com>',
      Subject: 'Delivery Status Notification (Failure)',
      'In-Reply-To': '<msg_1@sender.example>',
      'Return-Path': '<>',
    },
  ),
  exchange: deliveryReport(
    [
      'Content-Type: multipart/alternative; differences=Content-Type; boundary="alt"\n\n--alt\nContent-Type: text/plain; charset="us-ascii"\n\nDelivery has failed to these recipients\n\n--alt\nContent-Type: text/html; charset="us-ascii"\n\n<p>Delivery has failed</p>\n\n--alt--\n',
      'Content-Type: message/delivery-status\n\nReporting-MTA: dns;AM0PR01.eurprd01.prod.outlook.com\nReceived-From-MTA: dns;mail.sender.example\nArrival-Date: Fri, 27 Nov 2026 10:00:00 +0000\n\nOriginal-Recipient: rfc822;nobody@customer.example\nFinal-Recipient: rfc822;nobody@customer.example\nAction: failed\nStatus: 5.1.10\nDiagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup\n',
      'Content-Type: message/rfc822\n\nReceived: from x\nFrom: Ada <ada@sender.example>\nMessage-ID: <msg_1@sender.example>\n\nHello\n',
    ],
    {
      From: 'postmaster@customer.onmicrosoft.com',
      Subject: 'Undeliverable: Hello',
      'X-MS-Exchange-Message-Is-Ndr': '',
      'Auto-Submitted': 'auto-replied',
    },
  ),
};

describe('a bounce report', () => {
  it.each([
    ['postfix', '5.1.1'],
    ['gmail', '5.1.1'],
    ['exchange', '5.1.10'],
  ] as const)('of %s is read with the message it is about', async (program, status) => {
    expect(await readInbound(REPORTS[program], OWN)).toMatchObject({
      kind: 'bounce',
      bounces: [
        { recipient: 'nobody@customer.example', action: 'failed', status, messageId: 'msg_1@sender.example' },
      ],
    });
  });

  const about = (fields: string, embedded = 'Message-ID: <msg_1@sender.example>'): Promise<InboundMail> =>
    readInbound(
      deliveryReport([
        'Content-Type: text/plain\n\nSorry.',
        `Content-Type: message/delivery-status\n\nReporting-MTA: dns; mx.example\n\n${fields}\n`,
        `Content-Type: text/rfc822-headers\n\n${embedded}\n`,
      ]),
      OWN,
    );

  it('takes the class from the status, or from the quoted response if the status is unspecific', async () => {
    const full = 'Final-Recipient: rfc822; x@y.example\nAction: delayed\nStatus: 4.2.2 (mailbox full)';
    expect((await about(full)).bounces[0]).toMatchObject({ action: 'delayed', status: '4.2.2' });
    const vague =
      'Final-Recipient: rfc822; x@y.example\nAction: failed\nStatus: 5.0.0\nDiagnostic-Code: smtp; 550 5.7.1 No';
    expect((await about(vague)).bounces[0]).toMatchObject({ status: '5.7.1' });
  });

  it('is read within a second, even if it is malicious', async () => {
    const fields = `Final-Recipient: rfc822;${'@'.repeat(100_000)} x\nAction: failed\nStatus: 5.1.1`;
    const before = process.cpuUsage();
    expect((await about(fields)).kind).not.toBe('reply');
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
  });

  it('is no bounce if everything was delivered', async () => {
    const fields = 'Final-Recipient: rfc822; x@y.example\nAction: delivered\nStatus: 2.0.0';
    expect(await about(fields)).toMatchObject({ kind: 'away', bounces: [{ action: 'delivered' }] });
  });

  it('names no message if it embeds none', async () => {
    const fields = 'Final-Recipient: rfc822; x@y.example\nAction: failed\nStatus: 5.1.1';
    expect((await about(fields, 'Subject: Hello')).bounces[0]).toMatchObject({ messageId: null });
  });

  it.each<[string, Promise<InboundMail>]>([
    ['without fields', about('Hello: there')],
    ['with an unknown action', about('Final-Recipient: rfc822; x@y.example\nAction: lost\nStatus: 5.1.1')],
    ['without a status', about('Final-Recipient: rfc822; x@y.example\nAction: failed')],
    ['by its writer', read('550 5.1.1 No such user', { From: 'MAILER-DAEMON@customer.example' })],
    ['by its subject', read('No such user', { Subject: 'failure notice', 'Return-Path': '<>' })],
    [
      'by its subject in Norwegian',
      read('Ukjent adresse', { Subject: 'Kan ikke leveres: Hei', 'Return-Path': '<>' }),
    ],
    [
      'of another type',
      read('', { 'Content-Type': 'multipart/report; report-type=feedback-report; boundary=x' }),
    ],
  ])('is only a suspected bounce if it is %s', async (_, reading) => {
    expect(await reading).toMatchObject({ kind: 'bounce_suspected', bounces: [] });
  });
});

describe('the simulated answer of the sink', () => {
  it.each([
    ['reply+anna@sandbox.test', 'reply', null],
    ['bounce+anna@sandbox.test', 'bounce', '5.1.1'],
    ['soft+anna@sandbox.test', 'bounce', '4.2.2'],
    ['away+anna@sandbox.test', 'away', null],
    ['unsubscribe+anna@sandbox.test', 'unsubscribe', null],
  ])('to %s is read as %s', async (to, kind, status) => {
    const mail = outgoingMail({ to, text: 'Hello,\n\nto unsubscribe answer STOP' });
    const { outcome, reply } = sinkAnswer(mail, controlWordOf(to));
    expect(outcome.kind).toBe('accepted');
    const received = await readInbound(Buffer.from(reply!), { address: mail.from.address });
    expect(received.kind).toBe(kind);
    if (status === null) expect(received).toMatchObject({ from: { address: to }, inReplyTo: mail.messageId });
    else
      expect(received.bounces).toEqual([
        { recipient: to, action: 'failed', status, messageId: mail.messageId },
      ]);
    // The mail is the same each time, so that a second read recognises it.
    expect(sinkAnswer(mail, controlWordOf(to)).reply).toBe(reply);
  });

  it('keeps the subject of the message, whatever it contains', async () => {
    const mail = outgoingMail({ to: 'reply+a@sandbox.test', subject: 'Grüße 🎉\r\nX-Evil: yes' });
    const received = await readInbound(Buffer.from(sinkAnswer(mail, 'reply').reply!), OWN);
    expect(received.subject).toBe('Re: Grüße 🎉 X-Evil: yes');
  });

  it('breaks the connection for "cut", and is none for other addresses', () => {
    const answered = (to: string) => sinkAnswer(outgoingMail({ to }), controlWordOf(to));
    expect(answered('cut+x@sandbox.test')).toMatchObject({ outcome: { kind: 'unknown' }, reply: null });
    for (const to of ['anna@sandbox.test', 'reply+x@customer.example', 'replying@sandbox.test'])
      expect(answered(to)).toMatchObject({ outcome: { kind: 'accepted' }, reply: null });
  });
});

describe('untrusted HTML', () => {
  it.each([
    '<script>alert(1)</script>',
    '<scr<script>ipt>1</scr</script>ipt>',
    '<style>@import "https://evil.example"</style>',
    '<link rel=stylesheet href="https://evil.example">',
    '<img src="https://evil.example/pixel.gif">',
    '<img src="cid:one">',
    '<img src=x onerror=alert(1)>',
    '<svg onload=alert(1)><script>alert(1)</script></svg>',
    '<math><mtext></table><mglyph><style><img src=x onerror=alert(1)>',
    '<iframe src="https://evil.example"></iframe>',
    '<form action="https://evil.example"><input name=a><button>go</button></form>',
    '<a href="javascript:alert(1)">x</a>',
    '<a href="java\nscript:alert(1)">x</a>',
    '<a href="&#106;avascript:alert(1)">x</a>',
    '<a href="data:text/html,<script>alert(1)</script>">x</a>',
    '<a href="//evil.example">x</a>',
    '<a href="http://evil.example">x</a>',
    '<a href="https://ok.example" onclick="alert(1)" style="position:fixed">x</a>',
    '<p style="background:url(https://evil.example)" class=x id=y>x</p>',
    '<table background="https://evil.example"><tr><td background="https://evil.example">x</td></tr></table>',
    '<base href="https://evil.example">',
    '<meta http-equiv=refresh content="0;url=https://evil.example">',
    '<object data="https://evil.example"></object><embed src="https://evil.example">',
    '<video src="https://evil.example" poster="https://evil.example"></video>',
    '<!--[if IE]><script>alert(1)</script><![endif]-->',
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    '<template><img src=x onerror=alert(1)></template>',
    '<xmp><script>alert(1)</script></xmp>',
    '<p title="<script>alert(1)</script>">x',
  ])('runs, loads and submits nothing: %s', async (html) => {
    const { html: safe } = await read(`<p>before</p>${html}`, { 'Content-Type': 'text/html' });
    expect(safe).toContain('<p>before</p>');
    expect(safe).not.toMatch(
      /evil|alert|javascript|<(?:img|script|style|form|iframe|svg|base|meta|object|input)/i,
    );
    expect(safe).not.toMatch(/<[^>]*\s(?:on\w+|style|class|id|title|src|background)=/i);
  });

  it('keeps links, which open without a referrer', async () => {
    const { html } = await read(
      '<a href="https://ok.example/?a=1&b=2">x</a> <a href="mailto:a@ok.example">y</a>',
      { 'Content-Type': 'text/html' },
    );
    const rel = 'rel="noopener noreferrer nofollow" target="_blank"';
    expect(html).toBe(
      `<a href="https://ok.example/?a=1&amp;b=2" ${rel}>x</a> <a href="mailto:a@ok.example" ${rel}>y</a>`,
    );
  });
});

describe('a mail crafted to be expensive', () => {
  const MIB = 1024 * 1024;
  const nested = (levels: number): string => {
    const open = Array.from(
      { length: levels },
      (_, at) => `--b${at}\nContent-Type: multipart/mixed; boundary=b${at + 1}\n\n`,
    );
    return `${open.join('')}--b${levels}\n\nhello\n`;
  };
  const message = 'Content-Type: message/rfc822\n\n';
  it.each<[string, () => Buffer]>([
    ['30 MB', () => inboundMail('A line of text.\n'.repeat((30 * MIB) / 16))],
    ['30 MB of one line', () => inboundMail('x'.repeat(30 * MIB))],
    [
      'nested a thousand times',
      () => inboundMail(nested(1000), { 'Content-Type': 'multipart/mixed; boundary=b0' }),
    ],
    [
      'a mail in a mail in a mail',
      () => inboundMail(message.repeat(20_000), { 'Content-Type': 'message/rfc822' }),
    ],
    [
      'half a million parts',
      () => inboundMail('--b\n\n\n'.repeat(500_000), { 'Content-Type': 'multipart/mixed; boundary=b' }),
    ],
    [
      'two thousand parts in a report',
      () => deliveryReport(Array<string>(2000).fill('Content-Type: message/delivery-status\n\na: b')),
    ],
    ['a hundred thousand headers', () => inboundMail('x', { 'X-A': 'a\r\nX-A: b'.repeat(100_000) })],
    ['one header of 5 MB', () => inboundMail('x', { 'X-A': 'a'.repeat(5 * MIB) })],
    ['a subject of encoded words', () => inboundMail('x', { Subject: '=?utf-8?Q?=C3?= '.repeat(15_000) })],
    ['ten thousand recipients', () => inboundMail('x', { To: 'a@b.example, '.repeat(15_000) })],
    ['deep HTML', () => inboundMail('<div><b>'.repeat(60_000), { 'Content-Type': 'text/html' })],
    ['HTML of entities', () => inboundMail('&amp;lt;'.repeat(500_000), { 'Content-Type': 'text/html' })],
    ['HTML of open brackets', () => inboundMail('<'.repeat(4 * MIB), { 'Content-Type': 'text/html' })],
    ['base64 of 5 MB', () => inboundMail('QUFB'.repeat(MIB), { 'Content-Transfer-Encoding': 'base64' })],
    ['quoted lines', () => inboundMail('On a\n> '.repeat(600_000))],
  ])('is read in bounded time: %s', async (name, make) => {
    const raw = make();
    let mail: InboundMail | null = null;
    const { cpuMs } = await measureThread(async () => {
      mail = await readInbound(raw, OWN);
    });
    printMeasurement(`reading a mail of ${name}: ${Math.round(cpuMs)} ms of CPU`);
    expect(mail).toMatchObject({ from: { address: 'grace@customer.example' } });
    // Typical: up to 150 ms. Without its limit each takes seconds, or crashes the process.
    expect(cpuMs).toBeLessThan(TEXT_CPU_MS_MAX);
  });

  it('has quotes and HTML read in bounded time, whatever they repeat', async () => {
    let worstMs = 0;
    const units = [
      '> ',
      'On ',
      ' wrote:\n',
      '\n',
      ' ',
      'From: a\n',
      'Sent: b\n',
      '-',
      '_',
      'schrieb ',
      'a',
      '<b> </b>',
      '&nbsp;',
      '<br>',
      '<p>',
      'unsubscribe ',
    ];
    for (const { name, text } of worstTexts(units, 100_000))
      for (const work of [splitQuoted, (html: string) => textOfSafeHtml(safeHtmlOf(html))]) {
        const { cpuMs } = await measureThread(() => void work(text));
        worstMs = Math.max(worstMs, cpuMs);
        if (cpuMs > TEXT_CPU_MS_MAX) throw new Error(`${name} took ${cpuMs} ms.`);
      }
    printMeasurement(`the dearest text of a mail: ${Math.round(worstMs)} ms of CPU`);
  });
});
