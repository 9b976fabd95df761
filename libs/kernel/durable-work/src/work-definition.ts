import { systemCtx, type Ctx, type LeasedWork } from '@quarry/app';

/** One kind of work that survives the process that performs it. */
export interface WorkDefinition {
  /** Its name in metrics and logs. */
  readonly name: LeasedWork;
  /** Queue whose messages announce work. A lost message delays work until the next sweep; a repeated one is harmless. */
  readonly queue: string;
  /** Milliseconds between two sweeps for work that no message has announced. */
  readonly sweepMs: number;
  /** Milliseconds that work in progress gets at a stop before it is aborted. */
  readonly drainMs: number;
  /** Milliseconds that a lease is valid without a renewal. */
  readonly leaseMs: number;
}

/** Milliseconds after which unclaimed work is queued again, because its message may be lost. */
export const SILENT_MS = 10_000;

/** Keeps the literal types of a definition. */
export function defineWork<const Definition extends WorkDefinition>(definition: Definition): Definition {
  return definition;
}

/** @returns the context of work for a tenant, without a request */
export function workCtx({ queue }: WorkDefinition, { orgId, mode }: Pick<Ctx, 'orgId' | 'mode'>): Ctx {
  return { ...systemCtx(queue, orgId), mode };
}
