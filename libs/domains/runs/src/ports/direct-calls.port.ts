import type { Ctx } from '@quarry/app';

/** One call of a fast service for a run. */
export interface DirectCall {
  service: string;
  input: Record<string, unknown>;
  /** Idempotency-Key: calls of one key and input are one call, charged once. */
  key: string;
  runId: string;
  /** Place in its table of the row that asks first, from 0: the ledger's entry names it. */
  rowIndex: number;
}

/**
 * End of a call. `spent`: the balance or a spend cap does not cover it. `later`: an equal call still works, or the
 * services cannot be reached; whether it was charged is known when it is asked again.
 */
export type DirectOutcome =
  | { kind: 'answered'; output: Record<string, unknown>; charged: number }
  | { kind: 'refused' | 'spent' | 'later'; error: { code: string; message: string } };

/** Fast services for a run: the same calls that the API sells, each with its own hold. They belong to the services side. */
export abstract class DirectCallsPort {
  /** @throws nothing that the services refuse with: that is an outcome */
  abstract callService(ctx: Ctx, call: DirectCall): Promise<DirectOutcome>;
}
