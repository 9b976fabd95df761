import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { CursorSigner, type Ctx } from '@quarry/app';
import { signingKeys } from '../signing-keys.js';

/** Lifetime of a question in milliseconds. */
export const QUESTION_MS = 300_000;
/** Maximum number of open questions; each holds a connection. */
const OPEN_MAX = 200;
const OPEN_OF_KEY_MAX = 10;
/** Interval in milliseconds at which responses received by other processes are polled. */
const LOOK_EVERY_MS = 500;

/** Channel from the process that receives a response to the one that asked; `ElicitationMailbox` of the platform. */
export interface AnswerWay {
  leaveAnswer(ctx: Ctx, questionId: string, answer: unknown): Promise<void>;
  takeAnswer(ctx: Ctx, questionId: string): Promise<unknown>;
}

/** Response part of a client's message. */
export type Answer = { result: unknown } | { error: unknown };

interface Question {
  ctx: Ctx;
  deliver: (answer: Answer) => void;
  closed: AbortController;
}

/**
 * Open questions of this process to clients, each with an unguessable id that contains the caller's key, so that a client's
 * response is routed correctly whichever process receives it.
 */
export class PendingElicitations {
  private readonly open = new Map<string, Question>();
  private readonly signer: CursorSigner;
  private isClosed = false;

  /**
   * @param secrets the first one signs, all verify; the same in every process
   * @param way null when no other process serves the same clients
   * @param onFault called when polling for a response fails
   */
  constructor(
    secrets: readonly [string, ...string[]],
    private readonly way: AnswerWay | null,
    private readonly onFault: (error: Error) => void,
  ) {
    this.signer = new CursorSigner(signingKeys(secrets));
  }

  /** @returns whether a further question is permitted for the key */
  hasCapacity({ keyId }: Ctx): boolean {
    const own = [...this.open.values()].filter(({ ctx }) => ctx.keyId === keyId).length;
    return !this.isClosed && this.open.size < OPEN_MAX && own < OPEN_OF_KEY_MAX;
  }

  /**
   * Opens a question.
   * @param deliver receives the response, once
   * @returns its id, to be passed to {@link endElicitation}; null when the key, or this process, has too many open questions
   */
  askClient(ctx: Ctx, deliver: (answer: Answer) => void): string | null {
    if (!this.hasCapacity(ctx)) return null;
    const endsAt = (Date.now() + QUESTION_MS).toString(36);
    const id = this.signer.signCursor(bindingOf(ctx), `${endsAt}.${randomUUID()}`);
    const question = { ctx, deliver, closed: new AbortController() };
    this.open.set(id, question);
    if (this.way) void this.lookFor(this.way, id, question);
    return id;
  }

  /** Closes a question whose response is no longer needed. */
  endElicitation(id: string): void {
    this.open.get(id)?.closed.abort();
    this.open.delete(id);
  }

  /** @returns whether the response belongs to a question of this key, asked here or in another process */
  async acceptAnswer(ctx: Ctx, id: unknown, answer: Answer): Promise<boolean> {
    if (typeof id !== 'string') return false;
    const position = this.signer.openCursor(bindingOf(ctx), id);
    if (position === null || parseInt(position, 36) < Date.now()) return false;
    if (this.deliverAnswer(id, answer)) return true;
    await this.way?.leaveAnswer(ctx, id, answer);
    return this.way !== null;
  }

  /** Closes all questions at shutdown and notifies the waiting calls; no further ones are opened. */
  close(): void {
    this.isClosed = true;
    for (const id of [...this.open.keys()])
      this.deliverAnswer(id, { error: { code: -32_000, message: 'The server stops.' } });
  }

  private deliverAnswer(id: string, answer: Answer): boolean {
    const question = this.open.get(id);
    if (!question) return false;
    this.endElicitation(id);
    question.deliver(answer);
    return true;
  }

  private async lookFor(way: AnswerWay, id: string, { ctx, closed }: Question): Promise<void> {
    const isOpen = () => delay(LOOK_EVERY_MS, true, { signal: closed.signal, ref: false }).catch(() => false);
    while (await isOpen()) {
      const answer = await way
        .takeAnswer(ctx, id)
        .catch((error: unknown) => void this.onFault(error as Error));
      if (answer !== undefined) this.deliverAnswer(id, answer as Answer);
    }
  }
}

function bindingOf({ orgId, mode, keyId }: Ctx) {
  return { tenant: [orgId, mode] as const, endpoint: 'mcp-question', subject: keyId ?? '' };
}
