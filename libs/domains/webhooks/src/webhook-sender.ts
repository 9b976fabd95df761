import { Inject, Injectable } from '@nestjs/common';
import { SILENT_MS, WorkHandler, type TurnEnd, type TurnKey } from '@quarry/durable-work';
import { LOGGER, SealedSecrets, type Logger } from '@quarry/app';
import { nextTryMs } from './retry-schedule.js';
import {
  WEBHOOK_DELIVERY,
  WebhookLeaseStore,
  type DueDelivery,
  type LeasedWebhook,
  type SettledAttempt,
} from './webhook-lease.store.js';
import { bindingOf } from './webhook-secrets.js';
import { signedHeaders } from './webhook-signature.js';
import { WebhookClient, type WebhookAnswer } from './webhook.client.js';

/** Concurrent attempts per webhook; one for a failing webhook. Source: docs/webhooks.md. */
const AT_ONCE = 4;
/**
 * Number of deliveries that one statement reads and records, and time in milliseconds in which a group starts attempts:
 * including the last attempt it is shorter than a lease. After a crash, at most this many are sent again.
 */
const GROUP = 20;
const GROUP_MS = 5_000;
/** Maximum duration of a turn, so that a webhook with many events does not block others, in milliseconds. */
const TURN_MS = 10_000;
/** Maximum concurrent turns of failing webhooks, which may each wait for a silent server: half of the queue's concurrency. */
const FAILING_TURNS_MAX = 25;

/** Sends the due deliveries of one webhook at a time, signed, and records the results. */
@Injectable()
export class WebhookSender extends WorkHandler<TurnKey> {
  private failingTurns = 0;

  constructor(
    private readonly leases: WebhookLeaseStore,
    private readonly client: WebhookClient,
    private readonly secrets: SealedSecrets,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(WEBHOOK_DELIVERY, logger);
  }

  takeDue(): Promise<TurnKey[]> {
    return this.leases.takeDue();
  }

  protected async performWork(turn: TurnKey): Promise<TurnEnd> {
    const lease = await this.leases.claimTurn(turn);
    if (!lease) return 'idle';
    if (!lease.isFailing) return this.performLeased(lease);
    if (this.failingTurns >= FAILING_TURNS_MAX) {
      await this.leases.releaseLease(lease, 0);
      return 'idle';
    }
    this.failingTurns += 1;
    return this.performLeased(lease).finally(() => (this.failingTurns -= 1));
  }

  private async performLeased(lease: LeasedWebhook): Promise<TurnEnd> {
    const endsAt = performance.now() + TURN_MS;
    let isFailing = lease.isFailing;
    let end: TurnEnd = 'idle';
    for (;;) {
      const due = this.stopping.aborted ? [] : await this.leases.dueOf(lease, isFailing ? 1 : GROUP);
      if (due.length === 0) break;
      const attempts = await this.sendGroup(lease, due);
      await this.leases.settleDelivery(lease, attempts);
      const has = (wanted: SettledAttempt['outcome']): boolean =>
        attempts.some(({ outcome }) => outcome === wanted);
      // The next turn of this webhook comes after those of others.
      if (has('failed') && !has('delivered')) break;
      isFailing &&= !has('delivered');
      if (performance.now() < endsAt) continue;
      end = 'more';
      break;
    }
    await this.leases.releaseLease(lease, end === 'more' ? SILENT_MS : 0);
    return end;
  }

  /** Sends a few at a time, and starts no more after a failure: the rest stays due. @returns the attempts */
  private async sendGroup(lease: LeasedWebhook, due: readonly DueDelivery[]): Promise<SettledAttempt[]> {
    const endsAt = performance.now() + GROUP_MS;
    const secrets = this.openSecrets(lease, due[0]!);
    const waiting = [...due];
    const attempts: SettledAttempt[] = [];
    const isOver = (): boolean =>
      this.stopping.aborted ||
      performance.now() > endsAt ||
      attempts.some(({ outcome }) => outcome === 'failed');
    const sendNext = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = isOver() ? undefined : waiting.shift()) {
        const attempt = await this.attemptDelivery(secrets, next);
        if (attempt) attempts.push(attempt);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, sendNext));
    return attempts;
  }

  /** @returns the result of the attempt; null if a shutdown aborted it */
  private async attemptDelivery(
    secrets: readonly string[],
    { id, eventId, body, url, tries }: DueDelivery,
  ): Promise<SettledAttempt | null> {
    const at = new Date();
    const begunAt = performance.now();
    const settled = (outcome: SettledAttempt['outcome'], more: Partial<SettledAttempt>): SettledAttempt => ({
      id,
      outcome,
      at: at.toISOString(),
      durationMs: Math.round(performance.now() - begunAt),
      nextInMs: null,
      status: null,
      error: null,
      answer: null,
      isGone: false,
      ...more,
    });
    if (body === null) return settled('cancelled', {});
    const timestamp = Math.floor(at.getTime() / 1000);
    const headers = signedHeaders(secrets, { id: eventId, timestamp, body });
    const answer = await this.client
      .postMessage(url, { headers, body }, this.cutOff)
      .catch(this.unlessCutOff);
    if (!answer) return null;
    const { status, error, text, retryAfterMs } = answer;
    const known = { status, error, answer: text };
    if (status !== null && status >= 200 && status < 300) return settled('delivered', known);
    const nextInMs = nextTryMs(tries + 1, retryAfterMs);
    return settled('failed', { ...known, nextInMs, isGone: status === 410 });
  }

  private readonly unlessCutOff = (error: unknown): WebhookAnswer | null => {
    if (this.cutOff.aborted) return null;
    throw error;
  };

  /** @throws Error if ENCRYPTION_KEYS lacks the sealing key: nothing is sent unsigned, and nothing is lost */
  private openSecrets(lease: LeasedWebhook, { sealedSecrets }: DueDelivery): string[] {
    return sealedSecrets.map((sealed) => {
      const secret = this.secrets.openSecret(bindingOf(lease, lease.id), sealed);
      if (secret === null) throw new Error('ENCRYPTION_KEYS does not open the secret of a webhook.');
      return secret;
    });
  }
}
