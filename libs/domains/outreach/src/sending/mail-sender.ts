import { Inject, Injectable } from '@nestjs/common';
import {
  LeaseGuard,
  leaseTiming,
  WorkHandler,
  workCtx,
  type TurnEnd,
  type TurnKey,
} from '@quarry/durable-work';
import { failpoints, LOGGER, SealedSecrets, type Logger } from '@quarry/app';
import { controlWordOf, MailTransport, sinkAnswer, type OutgoingMail, type SendOutcome } from '@quarry/mail';
import { openMailboxSecrets, type MailboxSecrets } from '../mailboxes/mailbox-secrets.js';
import { OutreachSettings } from '../outreach-settings.js';
import { ContactExclusionsPort } from './contact-exclusions.port.js';
import { MessagePlanner } from './message-planner.js';
import { OutgoingMessageStore, type ClaimedMessage } from './outgoing-message.store.js';
import { OUTREACH_SEND, SendingLeaseStore, type SendingMailbox } from './sending-lease.store.js';

/** Milliseconds after which a turn ends, so that a mailbox with many messages does not block others. */
const TURN_MS = 20_000;
/** Milliseconds for one message. Servers may be slow, and an unanswered body leaves the message in the state `unknown`. */
const SEND_MS = 180_000;

/** Moments of a message at which a fault test may kill a process. */
type SendingPoint = 'message_rendered' | 'message_claimed' | 'message_marked' | 'message_before_settle';

/** Sends due messages from one mailbox at a time, one after the other. */
@Injectable()
export class MailSender extends WorkHandler<TurnKey> {
  private readonly failpoints = failpoints<SendingPoint>();

  constructor(
    private readonly leases: SendingLeaseStore,
    private readonly planner: MessagePlanner,
    private readonly messages: OutgoingMessageStore,
    private readonly transport: MailTransport,
    private readonly exclusions: ContactExclusionsPort,
    private readonly secrets: SealedSecrets,
    private readonly settings: OutreachSettings,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(OUTREACH_SEND, logger);
  }

  /** Also settles messages of processes that have died, by their marks. */
  async takeDue(): Promise<TurnKey[]> {
    await this.messages.reapMessages();
    return this.leases.takeDue();
  }

  protected async performWork(turn: TurnKey): Promise<TurnEnd> {
    const lease = await this.leases.claimTurn(turn);
    if (!lease) return 'idle';
    const secrets = this.openSecrets(lease);
    const endsAt = performance.now() + TURN_MS;
    let [end, isWaiting]: [TurnEnd, boolean] = ['idle', false];
    // When nothing was waiting, the last message was planned in this turn: the next one is planned too before the turn ends.
    let isAhead = false;
    while (!this.stopping.aborted && (await this.leases.maySend(lease))) {
      let message: ClaimedMessage | null = isAhead ? null : await this.messages.claimMessages(lease);
      const isWritten: boolean = message === null && (await this.planner.planNext(lease));
      if (isWritten) {
        await this.failpoints.reach('message_rendered');
        message = await this.messages.claimMessages(lease);
      }
      if (message) await this.sendMessage(lease, secrets, message);
      else if (!isWritten && !isAhead) {
        await this.messages.cancelSuppressed(lease);
        isWaiting = true;
        break;
      }
      isAhead = isWritten && message?.tries === 0 && message.enrollmentId !== null;
      if (performance.now() < endsAt) continue;
      end = 'more';
      break;
    }
    await this.leases.releaseMailbox(lease, end, isWaiting);
    return end;
  }

  private async sendMessage(
    lease: SendingMailbox,
    secrets: MailboxSecrets | null,
    message: ClaimedMessage,
  ): Promise<void> {
    await this.failpoints.reach('message_claimed', { to: message.to });
    // If the lease is lost, its new holder decides.
    const renewed = { renew: () => this.leases.renewWithMessage(lease, message) };
    const guard = new LeaseGuard(renewed, leaseTiming(OUTREACH_SEND.leaseMs), this.cutOff);
    try {
      if (await this.isExcluded(lease, message)) return await this.messages.excludeContact(lease, message);
      const { outcome, answer, wasMarked } = await this.attemptMessage(lease, secrets, message, guard.signal);
      await this.failpoints.reach('message_before_settle', { to: message.to });
      if (outcome.kind === 'failed' && outcome.cause === 'aborted' && !wasMarked)
        await this.messages.handBack(lease, message);
      else await this.messages.settleMessage(lease, message, outcome, answer);
    } finally {
      guard.close();
    }
  }

  private async attemptMessage(
    lease: SendingMailbox,
    secrets: MailboxSecrets | null,
    message: ClaimedMessage,
    taken: AbortSignal,
  ): Promise<{ outcome: SendOutcome; answer: string | null; wasMarked: boolean }> {
    let [wasAsked, wasMarked] = [false, false];
    const markStarted = async (): Promise<boolean> => {
      wasAsked = true;
      if (this.stopping.aborted || taken.aborted) return false;
      wasMarked = await this.messages.markMessage(lease, message);
      await this.failpoints.reach('message_marked', { to: message.to });
      return wasMarked;
    };
    const mail = this.mailOf(lease, secrets, message);
    if (lease.smtp === null || secrets === null) {
      if (!(await markStarted())) return { outcome: HELD_BACK, answer: null, wasMarked };
      const { outcome, reply } = sinkAnswer(mail, controlWordOf(mail.to));
      return { outcome, answer: reply, wasMarked };
    }
    const timeout = AbortSignal.timeout(SEND_MS);
    const signal = AbortSignal.any([taken, timeout]);
    const server = { ...lease.smtp, password: secrets.smtp_password };
    const outcome = await this.transport.sendMessage(server, mail, markStarted, signal);
    const ended = (other: SendOutcome) => ({ outcome: other, answer: null, wasMarked });
    if (outcome.kind !== 'failed' || outcome.cause !== 'aborted' || wasAsked) return ended(outcome);
    if (timeout.aborted) return ended({ ...outcome, cause: 'connection' });
    return ended(signal.aborted ? outcome : UNUSABLE);
  }

  /** Checks the exclusion lists again, which may have grown since the enrollment. A reply that a person has written is exempt. */
  private async isExcluded(lease: SendingMailbox, { to, variables }: ClaimedMessage): Promise<boolean> {
    return variables !== null && this.exclusions.isExcluded(workCtx(OUTREACH_SEND, lease), to, variables);
  }

  private mailOf(
    lease: SendingMailbox,
    secrets: MailboxSecrets | null,
    { to, subject, text, rfcMessageId, inReplyTo, references, unsubscribeToken }: ClaimedMessage,
  ): OutgoingMail {
    const { address, name, dkimSelector } = lease;
    const key = secrets?.dkim_key ?? null;
    return {
      to,
      subject,
      text,
      inReplyTo,
      references,
      messageId: rfcMessageId,
      date: new Date(),
      from: { address, name },
      unsubscribe:
        unsubscribeToken === null
          ? null
          : {
              url: this.settings.unsubscribeUrl(unsubscribeToken),
              mailto: `mailto:${address}?subject=unsubscribe%20${unsubscribeToken}`,
            },
      dkim:
        key === null || dkimSelector === null
          ? null
          : { domain: address.slice(address.lastIndexOf('@') + 1), selector: dkimSelector, privateKey: key },
    };
  }

  /** @returns null for a mailbox of test mode, which has no secrets @throws Error when ENCRYPTION_KEYS does not open them */
  private openSecrets(lease: SendingMailbox): MailboxSecrets | null {
    return lease.sealedSecrets === null ? null : openMailboxSecrets(this.secrets, lease, lease.sealedSecrets);
  }
}

const HELD_BACK: SendOutcome = {
  kind: 'failed',
  cause: 'aborted',
  code: null,
  reply: 'The message was held back.',
};

/** Outcome of a message that cannot be composed, and never will be. */
const UNUSABLE: SendOutcome = {
  kind: 'refused',
  isPermanent: true,
  stage: 'data',
  code: 0,
  status: null,
  reply: 'The message cannot be written as an e-mail.',
};
