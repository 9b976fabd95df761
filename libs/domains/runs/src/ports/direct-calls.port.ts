import type { Ctx } from '@quarry/app';

/** One call of a fast service for a run. */
export interface DirectCall {
  service: string;
  input: Record<string, unknown>;
  /** Idempotency-Key: calls with the same key and input are one call, charged once. */
  key: string;
  runId: string;
  /** Position in its table of the first row that needs the call, from 0; shown in the ledger entry. */
  rowIndex: number;
}

/**
 * Outcome of a call. `spent`: the balance or a spend cap does not cover it. `later`: an equal call is still in progress, or the
 * services cannot be reached; asking again tells whether it was charged.
 */
export type DirectOutcome =
  | { kind: 'answered'; output: Record<string, unknown>; charged: number }
  | { kind: 'refused' | 'spent' | 'later'; error: { code: string; message: string } };

/** Fast services for a run: the calls that the API sells, each with its own hold. Implemented by the services side. */
export abstract class DirectCallsPort {
  /** @throws nothing that the services refuse with: a refusal is an outcome */
  abstract callService(ctx: Ctx, call: DirectCall): Promise<DirectOutcome>;
}
