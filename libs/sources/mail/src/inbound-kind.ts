import type { BouncedRecipient, InboundKind } from './inbound-mail.js';

/** Maximum length of a reply that counts as an unsubscribe request; a longer one has other content. */
const UNSUBSCRIBE_MAX = 400;

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
  /^(?:undeliver(?:ed|able)|returned mail|mail delivery (?:failed|failure|subsystem)|delivery (?:status notification|failure|has failed)|failure notice|message (?:not delivered|undeliverable)|unzustellbar|nicht zustellbar|zustellung (?:fehlgeschlagen|nicht möglich))/i;

/** Returns true for a mail that looks like a bounce but does not follow the standard. */
function isFromMailSystem(mail: ClassifiedMail): boolean {
  if (isReport(mail)) return true;
  if (MAIL_SYSTEM.test(mail.from)) return true;
  return BOUNCE_SUBJECT.test(mail.subject) && (hasNullPath(mail) || isAutomatic(mail));
}

const hasNullPath = ({ header }: ClassifiedMail): boolean => header('return-path')?.trim() === '<>';

/** Subjects of automatic replies: the weakest sign, and only without a leading "Re:". */
const AWAY_SUBJECT =
  /^(?:auto(?:matic|mated)?[ -]?(?:reply|response|antwort)\b|out of (?:the )?office\b|automatische (?:antwort|abwesenheitsnotiz)|abwesenheit(?:snotiz|sbenachrichtigung)?\b|ich bin (?:derzeit )?nicht im büro|réponse automatique|respuesta automática|risposta automatica|automatisch antwoord)/i;

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

const UNSUBSCRIBE: readonly RegExp[] = [
  /\bunsubscribe\b/,
  /\bopt(?:ing)?[ -]?(?:me )?out\b/,
  /\b(?:remove|delete|take) (?:me|us|my (?:e-?mail|address|name)|our (?:e-?mail|address))\b.*\b(?:list|database|mailing|off|contacts|records|emails?)\b/,
  /\bremove (?:me|us)\b/,
  /\b(?:stop|quit|cease) (?:e-?mailing|contacting|sending|writing|messaging|spamming)\b/,
  /\b(?:do not|don't|never) (?:e-?mail|contact|write(?: to)?|message|mail) (?:me|us)\b/,
  /\bno (?:more|further) (?:e-?mails?|mails?|messages?)\b/,
  /\bno longer (?:wish|want) to (?:receive|be contacted|hear)\b/,
  /\b(?:ab(?:zu)?melden|abmeldung|ab(?:zu)?bestellen|aus(?:zu)?tragen)\b/,
  /\bkeine? (?:weiteren?|mehr)? ?(?:e-?mails?|mails?|nachrichten|werbung|newsletter)\b/,
  /\bnicht (?:mehr|weiter) (?:\S+ ){0,2}(?:kontaktieren|anschreiben|schreiben|anmailen|belästigen)\b/,
  /\b(?:kontaktieren|schreiben|mailen) sie (?:mich|mir|uns) (?:bitte )?(?:\S+ )?nicht (?:mehr|wieder|weiter)\b/,
  /\b(?:aus|von) (?:\S+ ){1,2}(?:verteiler|mailingliste|liste|datenbank)\b/,
  /\b(?:löschen|entfernen) sie (?:mich|meine)\b/,
];
/** The word "stop" on a line of its own, as in replies to text messages. */
const STOP = /^\s*stop[\s.!]*$/im;
const NEGATED =
  /\b(?:do not|don't|not|never|nicht|kein(?:en)?) (?:\S+ ){0,2}(?:unsubscribe|remove me|opt out|ab(?:zu)?melden|ab(?:zu)?bestellen|aus(?:zu)?tragen)\b/;

function asksToUnsubscribe(text: string): boolean {
  if (text.length > UNSUBSCRIBE_MAX) return false;
  if (STOP.test(text)) return true;
  const words = text.toLowerCase().replaceAll('’', "'").replace(/\s+/g, ' ').trim();
  return !NEGATED.test(words) && UNSUBSCRIBE.some((form) => form.test(words));
}
