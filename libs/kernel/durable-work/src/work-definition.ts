import { systemCtx, type Ctx, type LeasedWork } from '@quarry/app';

/** One kind of work that outlives the process that does it. */
export interface WorkDefinition {
  /** Its name in metrics and logs. */
  readonly name: LeasedWork;
  /** Queue whose messages say that work waits. A lost message costs a sweep, and a repeated one nothing. */
  readonly queue: string;
  /** Milliseconds between two looks for work that no message told of. */
  readonly sweepMs: number;
  /** Milliseconds that what is in hand gets at a stop before it is cut off. */
  readonly drainMs: number;
  /** Milliseconds that a lease stands without a renewal. */
  readonly leaseMs: number;
}

/** Milliseconds after which work whose message was lost, or is still in the queue, is queued again. */
export const SILENT_MS = 10_000;

/** @returns the definition, so that its literals keep their types */
export function defineWork<const Definition extends WorkDefinition>(definition: Definition): Definition {
  return definition;
}

/** @returns the context of work for a tenant, which no request began */
export function workCtx({ queue }: WorkDefinition, { orgId, mode }: Pick<Ctx, 'orgId' | 'mode'>): Ctx {
  return { ...systemCtx(queue, orgId), mode };
}
