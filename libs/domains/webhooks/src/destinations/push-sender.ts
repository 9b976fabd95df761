import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { SILENT_MS, WorkHandler, workCtx, type TurnEnd, type TurnKey } from '@quarry/durable-work';
import { AppError } from '@quarry/error-codes';
import { LOGGER, SealedSecrets, type Logger } from '@quarry/app';
import { nextTryMs } from '../retry-schedule.js';
import { signedHeaders } from '../webhook-signature.js';
import { WebhookClient } from '../webhook.client.js';
import { BatchWriter, PushInterruption, type Exchange, type RowResults } from './batch-writer.js';
import {
  DESTINATION_PUSH,
  DestinationLeaseStore,
  type LeasedDestination,
  type OpenPush,
  type PushProgress,
  type SentRow,
} from './destination-lease.store.js';
import type { OutgoingRow } from './destination-template.js';
import { TEMPLATES } from './destination-templates.js';
import { destinationBinding } from './destination.store.js';
import { isSendable, toOutgoingRow, PushClassifier, type ClassifiedRow } from './push-classifier.js';
import type { PushCounts } from './push.store.js';
import { addressOf } from './vendor-request.js';

/** Number of rows that are classified at once: by one read of the table, the lists and the sent rows. */
const PAGE = 100;
/** Most characters of the rows of one request; a longer row is sent alone. Many servers refuse larger bodies. */
const REQUEST_CHARACTERS_MAX = 1024 * 1024;
/** Validity of decisions on rows in milliseconds: afterwards the remaining rows are classified again. */
const CLASSIFIED_MS = 5_000;
/** Maximum duration of a turn, so that a destination with many rows does not block others, in milliseconds. */
const TURN_MS = 10_000;
const RENEW_MS = 5_000;
/** Size limit for a response about 100 rows with all their properties. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

/** Sends the rows of one push at a time to a destination, batch by batch, and records each batch before the next. */
@Injectable()
export class PushSender extends WorkHandler<TurnKey> {
  constructor(
    private readonly leases: DestinationLeaseStore,
    private readonly classifier: PushClassifier,
    private readonly client: WebhookClient,
    private readonly secrets: SealedSecrets,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(DESTINATION_PUSH, logger);
  }

  takeDue(): Promise<TurnKey[]> {
    return this.leases.takeDue();
  }

  protected async performWork(turn: TurnKey): Promise<TurnEnd> {
    const lease = await this.leases.claimTurn(turn);
    if (!lease) return 'idle';
    const endsAt = performance.now() + TURN_MS;
    let end: TurnEnd = 'idle';
    while (!this.stopping.aborted) {
      const push = await this.leases.nextPush(lease);
      if (!push) break;
      if (!(await this.performPage(lease, push))) break;
      if (performance.now() < endsAt) continue;
      end = 'more';
      break;
    }
    await this.leases.releaseLease(lease, end === 'more' ? SILENT_MS : 0);
    return end;
  }

  /** Classifies the next rows of a push and sends them. @returns whether the turn may continue */
  private async performPage(lease: LeasedDestination, push: OpenPush): Promise<boolean> {
    const ctx = workCtx(DESTINATION_PUSH, lease);
    const destination = { id: lease.id, kind: lease.kind, mapping: lease.mapping };
    const until = performance.now() + CLASSIFIED_MS;
    const page = { from: push.nextRow, limit: PAGE, pushId: push.id };
    let classified;
    try {
      classified = await this.classifier.classifyPage(ctx, destination, push.source, page);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return this.settlePush(lease, push, { status: 'failed', reason: error.message });
    }
    let { nextRow: from, tries } = push;
    const counts = { ...push.counts };
    for (const batch of batchesOf(classified.rows, rowsMaxOf(lease))) {
      if (this.stopping.aborted || performance.now() > until) return true;
      const before = { from, counts, tries };
      const { isWritten, interruption } = await this.performBatch(lease, push, batch, before);
      if (!isWritten || interruption) return false;
      from = batch.at(-1)!.row.at + 1;
      // Only consecutive failures count.
      tries = 0;
    }
    const next = push.nextRow + PAGE;
    if (next < classified.rowCount) return this.settlePush(lease, push, { nextRow: next, counts });
    return this.settlePush(lease, push, { nextRow: classified.rowCount, counts, status: 'completed' });
  }

  /** Sends the sendable rows of a batch, and records the results of all. */
  private async performBatch(
    lease: LeasedDestination,
    push: OpenPush,
    batch: readonly ClassifiedRow[],
    { from, counts, tries: before }: { from: number; counts: PushCounts; tries: number },
  ): Promise<{ isWritten: boolean; interruption: PushInterruption | null }> {
    const template = TEMPLATES[lease.kind];
    const writer = new BatchWriter(template, lease.settings, this.exchangeOf(lease));
    const sendable = batch.filter(isSendable).map(toOutgoingRow);
    const interruption = sendable.length === 0 ? null : await this.interruptionOf(writer, sendable);
    const { rows, refused } = resultsOf(batch, writer.results);
    if (!interruption) {
      countRows(batch, writer.results, counts);
      const progress = { nextRow: batch.at(-1)!.row.at + 1, counts, rows, refused };
      return { isWritten: await this.settlePush(lease, push, progress), interruption };
    }
    // Written rows are recorded as sent, and the batch is classified again later.
    const sent = batch.filter(({ key }) => key !== null && writer.results.has(key));
    countRows(sent.filter(isSendable), writer.results, counts, { isAgain: true });
    const tries = before + 1;
    const nextInMs = interruption.isFinal ? null : nextTryMs(tries, interruption.retryAfterMs);
    const isWritten = await this.settlePush(lease, push, {
      nextRow: from,
      counts,
      rows: rows.filter(({ key }) => writer.results.has(key)),
      reason: interruption.reason,
      tries,
      ...(nextInMs === null ? { status: 'failed' as const } : { nextInMs }),
    });
    return { isWritten, interruption };
  }

  /** @returns the reason why the batch was not written completely; null if it was. @throws the signal's reason at a shutdown */
  private async interruptionOf(
    writer: BatchWriter,
    rows: readonly OutgoingRow[],
  ): Promise<PushInterruption | null> {
    try {
      await writer.writeBatch(rows);
      return null;
    } catch (error) {
      if (error instanceof PushInterruption) return error;
      throw error;
    }
  }

  private async settlePush(
    lease: LeasedDestination,
    push: OpenPush,
    progress: Partial<PushProgress>,
  ): Promise<boolean> {
    const { nextRow, counts } = push;
    const same = { nextRow, counts, rows: [], refused: [], status: 'working', reason: null } as const;
    return this.leases.settlePush(lease, push, { ...same, tries: 0, nextInMs: 0, ...progress });
  }

  private exchangeOf(lease: LeasedDestination): Exchange {
    const template = TEMPLATES[lease.kind];
    const secret = this.openSecret(lease);
    const { headers: authorised = {}, query } = template.auth(secret);
    const base = template.baseUrl === null ? null : this.client.vendorUrl(lease.kind, template.baseUrl);
    let renewedAt = performance.now();
    return async ({ method, path, body }, rows) => {
      if (performance.now() - renewedAt > RENEW_MS) {
        if (!(await this.leases.renewLease(lease))) throw new Error('The turn of a destination was lost.');
        renewedAt = performance.now();
      }
      const text = body === undefined ? '' : JSON.stringify(body);
      const signed = base === null ? signedOf(secret, lease, rows, text) : authorised;
      const request = { method, headers: signed, ...(text === '' ? {} : { body: text }) };
      const url = addressOf(base, path, query);
      const answer = await this.client.sendRequest(url, request, ANSWER_BYTES_MAX, this.cutOff);
      return replyOf(answer);
    };
  }

  /** @throws Error if ENCRYPTION_KEYS lacks the sealing key: then nothing is sent, and nothing is lost */
  private openSecret(lease: LeasedDestination): string {
    const secret = this.secrets.openSecret(destinationBinding(lease, lease.id), lease.sealedSecret);
    if (secret === null) throw new Error('ENCRYPTION_KEYS does not open the secret of a destination.');
    return secret;
  }
}

/** Signs a message. Its id is derived from its rows and their content, so that it is the same when they are sent again. */
function signedOf(
  secret: string,
  { id }: LeasedDestination,
  rows: readonly OutgoingRow[],
  body: string,
): Record<string, string> {
  const of = createHash('sha256').update(`${id} ${rows.length} ${body}`).digest('hex');
  const timestamp = Math.floor(Date.now() / 1000);
  return signedHeaders([secret], { id: `msg_${of.slice(0, 32)}`, timestamp, body });
}

type Answer = Awaited<ReturnType<WebhookClient['sendRequest']>>;

/** @throws PushInterruption for a response that does not concern rows */
function replyOf({ status, error, bytes, retryAfterMs }: Answer): {
  isOk: boolean;
  status: number;
  text: string;
  body: unknown;
} {
  if (status === null) throw new PushInterruption(error ?? 'The destination did not answer.', false);
  if (status >= 300 && status < 400)
    throw new PushInterruption('The destination answers with a redirect, which is not followed.', true);
  if (status === 401 || status === 403)
    throw new PushInterruption(`The destination rejects the key (${status}).`, true);
  if (status === 429)
    throw new PushInterruption('The destination is limiting requests (429).', false, retryAfterMs);
  if (status === 408 || status >= 500)
    throw new PushInterruption(`The destination failed (${status}).`, false, retryAfterMs);
  const text = bytes?.toString('utf8') ?? '';
  return { isOk: status < 300, status, text, body: jsonOf(text) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function rowsMaxOf({ kind, settings }: LeasedDestination): number {
  const { rowsMax } = TEMPLATES[kind];
  return kind === 'webhook' ? Math.min(settings.rows_per_request ?? 1, rowsMax) : rowsMax;
}

/**
 * @returns the rows in order, in batches with at most `rowsMax` sendable rows and the characters of a request; other rows stay in
 *   the preceding batch
 */
function batchesOf(rows: readonly ClassifiedRow[], rowsMax: number): ClassifiedRow[][] {
  const batches: ClassifiedRow[][] = [];
  let left = { rows: 0, characters: 0 };
  for (const row of rows) {
    const isFull = left.rows === 0 || (left.rows < rowsMax && left.characters < row.characters);
    if (batches.length === 0 || (isSendable(row) && isFull)) {
      batches.push([]);
      left = { rows: rowsMax, characters: REQUEST_CHARACTERS_MAX };
    }
    batches.at(-1)!.push(row);
    if (isSendable(row)) left = { rows: left.rows - 1, characters: left.characters - row.characters };
  }
  return batches;
}

function resultsOf(
  batch: readonly ClassifiedRow[],
  results: RowResults,
): { rows: SentRow[]; refused: Array<{ rowId: string; reason: string }> } {
  const rows: SentRow[] = [];
  const refused: Array<{ rowId: string; reason: string }> = [];
  for (const { row, key, hash, verdict, vendorId } of batch) {
    const known = { key: key ?? '', hash, rowId: row.id };
    const result = key === null ? undefined : results.get(key);
    if (verdict === 'unchanged') rows.push({ ...known, vendorId });
    else if ((verdict !== 'new' && verdict !== 'changed') || !result) continue;
    else if ('refused' in result) refused.push({ rowId: row.id, reason: result.refused });
    else rows.push({ ...known, vendorId: result.vendorId });
  }
  return { rows, refused };
}

/** Adds the rows to the counts. In an interrupted batch, refused rows are not counted, because they are classified again. */
function countRows(
  batch: readonly ClassifiedRow[],
  results: RowResults,
  counts: PushCounts,
  { isAgain = false } = {},
): void {
  for (const row of batch) {
    const result = isSendable(row) ? results.get(row.key!) : undefined;
    const isRefused = result !== undefined && 'refused' in result;
    if (isRefused && !isAgain) counts.failed += 1;
    else if (!isRefused && row.verdict !== 'handled') counts[row.verdict] += 1;
  }
}
