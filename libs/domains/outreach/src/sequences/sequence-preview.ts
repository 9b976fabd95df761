import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  fieldError,
  jsonText,
  PREVIEW_CONTACTS_MAX,
  SequencePreview,
  type JsonText,
  type PreviewRequest,
  type ResourceOf,
} from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import { htmlOfText } from '@quarry/mail';
import { Database, ofTenant, tenantOf } from '@quarry/postgres';
import { OutreachSettings } from '../outreach-settings.js';
import { withUnsubscribeFooter } from './unsubscribe-footer.js';
import { statement } from '../statements.types.js';
import { SequenceAudience, type Contact } from './sequence-audience.js';
import { faultSentence, messagesOf } from './sequence-messages.js';
import { SequenceStore } from './sequence.store.js';

type Preview = ResourceOf<JsonText<typeof SequencePreview>>;
type Warning = Preview['warnings'][number];

/** Readers of cold mail stop long before. */
const LONG_TEXT_CHARACTERS = 2000;
/** Phrases that spam filters count against a message. Source: the default rules of SpamAssassin, by their subjects. */
const SPAM_WORDS = [
  '100% free',
  'act now',
  'cash bonus',
  'click here',
  'double your',
  'earn money',
  'extra income',
  'free money',
  'guaranteed',
  'limited time',
  'lowest price',
  'no obligation',
  'once in a lifetime',
  'risk-free',
  'this is not spam',
  'urgent',
  'winner',
  'you have been selected',
];

type Sender = {
  id: string;
  address: string;
  is_live: boolean;
  signs: boolean;
  domain: Record<string, { status: string; explanation: string } | string> | null;
};

/** Renders messages as they would be sent, with warnings. */
@Injectable()
export class SequencePreviewer {
  constructor(
    private readonly database: Database,
    private readonly settings: OutreachSettings,
    private readonly sequences: SequenceStore,
    private readonly audience: SequenceAudience,
  ) {}

  /** @throws AppError not_found; invalid_request for an enrollment of another sequence, or one that has ended */
  async previewSequence(
    ctx: Ctx,
    sequenceId: string,
    { enrollment_ids: ids = null }: { enrollment_ids?: PreviewRequest['enrollment_ids'] | null },
  ): Promise<JsonText<typeof SequencePreview>> {
    const sequence = await this.sequences.findSequence(ctx, sequenceId);
    const wanted = { after: null, limit: PREVIEW_CONTACTS_MAX, ids };
    const contacts = await this.audience.readContacts(ctx, sequence.id, wanted);
    const lost = ids?.findIndex((id) => !contacts.some((contact) => contact.id === id)) ?? -1;
    if (lost >= 0) throw fieldError(['enrollment_ids', lost], 'is not an active contact of this sequence');
    const { messages, digest } = await this.audience.measureAudience(ctx, sequence);
    const mailboxIds = sequence.definition.mailbox_ids;
    const senders = await this.database.query(ctx, SENDERS, [tenantOf(ctx), mailboxIds]);
    const shown: Array<Pick<Preview, 'messages' | 'warnings'>> = [];
    for (const [i, contact] of contacts.entries()) {
      shown.push(this.showMessage(sequence.definition, contact, senderOf(contact, senders, i)));
      await nextTurn();
    }
    return jsonText(SequencePreview, {
      messages: shown.flatMap((each) => each.messages),
      warnings: [...this.warningsOfSenders(senders), ...shown.flatMap((each) => each.warnings)],
      total_messages: messages,
      digest,
    });
  }

  private showMessage(
    definition: Parameters<typeof messagesOf>[0],
    contact: Contact,
    from: string,
  ): Pick<Preview, 'messages' | 'warnings'> {
    const { id, email } = contact;
    const warnings: Warning[] = [];
    const warn = (code: Warning['code'], message: string, step: number | null): void => {
      warnings.push({ code, message, enrollment_id: id, step });
    };
    if (!contact.isVerified) warn('unverified', `${email} has not been verified.`, null);
    const messages = messagesOf(definition, contact).flatMap(({ step, subject, text, fault: wrong }) => {
      if (wrong) {
        warn(wrong.variable === null ? 'template_error' : 'missing_variable', faultSentence(wrong), step);
        return [];
      }
      const found = SPAM_WORDS.filter((word) => `${subject}\n${text}`.toLowerCase().includes(word));
      if (found.length > 0) warn('spam_words', `Spam filters may object to: ${found.join(', ')}.`, step);
      if (text.length > LONG_TEXT_CHARACTERS)
        warn(
          'long_text',
          `The text has ${text.length} characters; few people read more than ${LONG_TEXT_CHARACTERS}.`,
          step,
        );
      // Not the contact's own link, which would unsubscribe them.
      const whole = withUnsubscribeFooter(text, this.settings.unsubscribeUrl('…'));
      return [
        { enrollment_id: id, step, from, to: email, subject, body_text: whole, body_html: htmlOfText(whole) },
      ];
    });
    return { messages, warnings };
  }

  private warningsOfSenders(senders: readonly Sender[]): Warning[] {
    const about = (code: Warning['code'], message: string): Warning => ({
      code,
      message,
      enrollment_id: null,
      step: null,
    });
    const isPlain = new URL(this.settings.baseUrl).protocol === 'http:';
    return [
      ...(isPlain
        ? [
            about(
              'unsubscribe_not_https',
              'Unsubscribe links begin with http, but mail clients offer one-click unsubscribe for https only. Set BASE_URL to an https address.',
            ),
          ]
        : []),
      ...senders.flatMap(({ address, is_live: isLive, signs, domain }) => [
        ...(isLive && !signs
          ? [about('not_signed', `Messages of ${address} are not signed with a DKIM key of its own.`)]
          : []),
        ...Object.entries(domain ?? {}).flatMap(([record, found]) =>
          typeof found === 'object' && ['weak', 'missing'].includes(found.status)
            ? [about('domain_records', `${address}, ${record.toUpperCase()}: ${found.explanation}`)]
            : [],
        ),
      ]),
    ];
  }
}

/** Contacts without a mailbox are distributed over all, in the order of their ids. */
function senderOf({ mailboxId }: Contact, senders: readonly Sender[], i: number): string {
  const own = senders.find(({ id }) => id === mailboxId);
  return (own ?? senders[i % Math.max(1, senders.length)])?.address ?? '';
}

const SENDERS = statement(
  'sequence-preview.senders',
  `SELECT b.id, b.address, b.smtp IS NOT NULL AS is_live, b.dkim_selector IS NOT NULL AS signs, b.domain FROM outreach.mailboxes b
   WHERE ${ofTenant('b')} AND b.id = ANY ($2::text[]) AND b.status <> 'removed' ORDER BY array_position($2::text[], b.id)`,
).rows<Sender>();
