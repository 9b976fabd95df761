import { AppError } from '@quarry/error-codes';
import { ByteBudget, collectGarbage } from '@quarry/app';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BODIES, type RoutePolicy } from '../policy/route-policy.js';
import { whenClosed } from '../when-closed.js';

/** One import of the largest size and some small ones beside it. A body takes a multiple of its size in memory. */
const BUDGET_BYTES = BODIES.import.bytesMax + 16 * 1024 * 1024;
/** Bytes from which garbage is collected as soon as the body is released. */
const LARGE_BYTES = 8 * 1024 * 1024;
/** An import of the largest size takes a few seconds. */
const RETRY_AFTER_SECONDS = 5;

/** Limits the bytes of concurrent imports in this process. An import that exceeds the rest is refused unread. */
export class LargeBodies {
  readonly budget = new ByteBudget(BUDGET_BYTES);

  /** Reserves the bytes of an import until it is answered. @throws AppError rate_limited with Retry-After */
  admitBody({ raw }: FastifyRequest, reply: FastifyReply, { body }: RoutePolicy): void {
    if (body === null || body.as === 'object' || body.as === 'ignored') return;
    // Without a length the largest allowed size counts.
    const announced =
      raw.headers['transfer-encoding'] === undefined ? Number(raw.headers['content-length']) : NaN;
    // The body parser refuses it for its size, so no memory is needed.
    if (announced > body.bytesMax) return;
    const bytes = Number.isNaN(announced) ? body.bytesMax : announced;
    const giveBack = this.budget.takeBytes(bytes);
    if (giveBack === null) {
      throw new AppError(
        'rate_limited',
        'Other imports use the memory that it needs. Try again in a moment.',
        { headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) } },
      );
    }
    whenClosed(reply.raw, () => {
      // Before other imports may reserve the bytes.
      if (bytes >= LARGE_BYTES) collectGarbage();
      giveBack();
    });
  }
}
