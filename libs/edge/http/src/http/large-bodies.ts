import { AppError } from '@quarry/error-codes';
import { ByteBudget, collectGarbage } from '@quarry/app';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BODIES, type RoutePolicy } from '../policy/route-policy.js';
import { whenClosed } from '../when-closed.js';

/** One import of the largest size and some small ones beside it. A body takes a multiple of its size in memory. */
const BUDGET_BYTES = BODIES.import.bytesMax + 16 * 1024 * 1024;
/** From here on the process collects as soon as the body is let go. */
const LARGE_BYTES = 8 * 1024 * 1024;
/** An import of the largest size takes a few seconds. */
const RETRY_AFTER_SECONDS = 5;

/** The imports that this process has in hand share a number of bytes; one that finds too few left is refused unread. */
export class LargeBodies {
  readonly budget = new ByteBudget(BUDGET_BYTES);

  /** Takes the bytes of an import until it is answered. @throws AppError rate_limited with Retry-After */
  admitBody({ raw }: FastifyRequest, reply: FastifyReply, { body }: RoutePolicy): void {
    if (body === null || body.as === 'object' || body.as === 'ignored') return;
    // Without a length it may become as large as it may be at all.
    const announced =
      raw.headers['transfer-encoding'] === undefined ? Number(raw.headers['content-length']) : NaN;
    // The body parser refuses it for its size, so that no memory is set aside.
    if (announced > body.bytesMax) return;
    const bytes = Number.isNaN(announced) ? body.bytesMax : announced;
    const giveBack = this.budget.takeBytes(bytes);
    if (giveBack === null) {
      throw new AppError(
        'rate_limited',
        'Other imports take up the memory for it. Send it again in a moment.',
        {
          headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
        },
      );
    }
    whenClosed(reply.raw, () => {
      // Before others may take the bytes.
      if (bytes >= LARGE_BYTES) collectGarbage();
      giveBack();
    });
  }
}
