import type { BouncedRecipient, InboundKind } from './inbound-mail.js';
import { asksToUnsubscribe } from './unsubscribe-request.js';

/** Facts about a mail that determine its kind. */
export interface ClassifiedMail {
  /** Returns the unfolded value of the first header of a name; null when there is none. */
  header: (name: string) => string | null;
  from: string;
  subject: string;
  /** Without quoted text. */
  text: string;
  bounces: readonly BouncedRecipient[];
}

/**
 * Classifies a mail: bounce report, automatic message, or reply of a person. Source: RFC 3464 and RFC 3834.
 */
export function kindOf(mail: ClassifiedMail): InboundKind {
  if (mail.bounces.some(({ action }) => action === 'failed' || action === 'delayed')) return 'bounce';
  // A confirmation that a message was delivered or read.
  if (mail.bounces.length > 0 || isReport(mail, 'disposition-notification')) return 'away';
  if (isFromMailSystem(mail)) return 'bounce_suspected';
  if (isAutomatic(mail)) return 'away';
  return asksToUnsubscribe(mail.text) ? 'unsubscribe' : 'reply';
}

/** @returns whether the mail is a report of this type (RFC 6522); of any type when none is given */
export function isReport({ header }: Pick<ClassifiedMail, 'header'>, type?: string): boolean {
  const value = (header('content-type') ?? '').toLowerCase();
  return value.trimStart().startsWith('multipart/report') && (type === undefined || value.includes(type));
}

const MAIL_SYSTEM = /^(?:mailer-daemon|postmaster|mail-daemon|mailerdaemon|mdaemon)(?:[+-][^@]*)?@/;
const BOUNCE_SUBJECT =
  /^(?:undeliver(?:ed|able)|returned mail|mail delivery (?:failed|failure|subsystem)|delivery (?:status notification|failure|has failed)|failure notice|message (?:not delivered|undeliverable)|unzustellbar|nicht zustellbar|zustellung (?:fehlgeschlagen|nicht möglich)|non remis|échec de (?:la )?remise|no se puede entregar|non recapitabile|mancato recapito|onbestelbaar|não é possível entregar|falha na entrega|niedostarczalne|kan (?:inte levereras|ikke leveres))/i;

/** Returns true for a mail that looks like a bounce but does not follow the standard. */
function isFromMailSystem(mail: ClassifiedMail): boolean {
  if (isReport(mail)) return true;
  if (MAIL_SYSTEM.test(mail.from)) return true;
  return BOUNCE_SUBJECT.test(mail.subject) && (hasNullPath(mail) || isAutomatic(mail));
}

const hasNullPath = ({ header }: ClassifiedMail): boolean => header('return-path')?.trim() === '<>';

/** Subjects of automatic replies: the weakest sign, and only without a leading "Re:". */
const AWAY_SUBJECT =
  /^(?:auto(?:matic|mated)?[ -]?(?:reply|response|antwort)\b|out of (?:the )?office\b|automatische (?:antwort|abwesenheitsnotiz)|abwesenheit(?:snotiz|sbenachrichtigung)?\b|ich bin (?:derzeit )?nicht im büro|réponse automatique|absen(?:ce|t) du bureau|respuesta automática|fuera de la oficina|risposta automatica|fuori (?:sede|ufficio)|automatisch antwoord|afwezig(?:heid)?\b|resposta automática|fora do escritório|odpowiedź automatyczna|automatyczna odpowiedź|autosvar\b|automatiskt? svar\b)/i;

function isAutomatic(mail: ClassifiedMail): boolean {
  const { header } = mail;
  const submitted = header('auto-submitted')?.split(';')[0]!.trim().toLowerCase();
  if (submitted !== undefined && submitted !== 'no' && submitted !== '') return true;
  if (/^(?:bulk|auto[_-]reply|list|junk)$/i.test(header('precedence')?.trim() ?? '')) return true;
  if (AUTOMATIC_HEADERS.some((name) => header(name) !== null)) return true;
  return hasNullPath(mail) || AWAY_SUBJECT.test(mail.subject);
}

const AUTOMATIC_HEADERS = [
  'x-auto-response-suppress',
  'x-autoreply',
  'x-autorespond',
  'x-autoresponder',
  'x-auto-reply-from',
  'x-mail-autoreply',
  'x-ms-exchange-inbox-rules-loop',
];
