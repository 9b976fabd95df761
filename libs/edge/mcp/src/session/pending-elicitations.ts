import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { CursorSigner, type Ctx } from '@quarry/app';
import { signingKeys } from '../signing-keys.js';

/** Milliseconds that a question stands. */
export const QUESTION_MS = 300_000;
/** Each holds a connection. */
const OPEN_MAX = 200;
const OPEN_OF_KEY_MAX = 10;
/** An answer that was told to another process is looked for so often. */
const LOOK_EVERY_MS = 500;

/** The way from a process that is told an answer to the one that asked; `ElicitationMailbox` of the platform. */
export interface AnswerWay {
  leaveAnswer(ctx: Ctx, questionId: string, answer: unknown): Promise<void>;
  takeAnswer(ctx: Ctx, questionId: string): Promise<unknown>;
}

/** The part of a client's message that answers. */
export type Answer = { result: unknown } | { error: unknown };

interface Question {
  ctx: Ctx;
  deliver: (answer: Answer) => void;
  closed: AbortController;
}

/**
 * Open questions of this process to clients, each under an id that nobody can guess and that names the caller's key, so
 * that a client's answer finds its way whichever process gets it.
 */
export class PendingElicitations {
  private readonly open = new Map<string, Question>();
  private readonly signer: CursorSigner;
  private isClosed = false;

  /**
   * @param secrets the first signs, each opens; the same in every process
   * @param way null where no other process serves the same clients
   * @param onFault told when an answer cannot be looked for
   */
  constructor(
    secrets: readonly [string, ...string[]],
    private readonly way: AnswerWay | null,
    private readonly onFault: (error: Error) => void,
  ) {
    this.signer = new CursorSigner(signingKeys(secrets));
  }

  /** @returns whether the key may be asked now */
  hasCapacity({ keyId }: Ctx): boolean {
    const own = [...this.open.values()].filter(({ ctx }) => ctx.keyId === keyId).length;
    return !this.isClosed && this.open.size < OPEN_MAX && own < OPEN_OF_KEY_MAX;
  }

  /**
   * Opens a question.
   * @param deliver is given the answer, once
   * @returns its id, to be ended when nobody waits for the answer any more; null where the key, or this process, asks nothing more now
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

  /** Nobody waits for the answer any more. */
  endElicitation(id: string): void {
    this.open.get(id)?.closed.abort();
    this.open.delete(id);
  }

  /** @returns whether the answer is for a question that was asked, of this key, here or in another process */
  async acceptAnswer(ctx: Ctx, id: unknown, answer: Answer): Promise<boolean> {
    if (typeof id !== 'string') return false;
    const position = this.signer.openCursor(bindingOf(ctx), id);
    if (position === null || parseInt(position, 36) < Date.now()) return false;
    if (this.deliverAnswer(id, answer)) return true;
    await this.way?.leaveAnswer(ctx, id, answer);
    return this.way !== null;
  }

  /** The process stops: nothing is asked any more, and who waits is told. */
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
