import { AppError, type SerializedAppError } from '@quarry/error-codes';
import type { Ctx } from '../context/ctx.js';

/** What travels to the service that answers. */
export interface RpcPacket {
  ctx: Ctx;
  request: unknown;
}

/** What travels back: a value, or the public half of a refusal. */
export interface RpcReply {
  value?: unknown;
  error?: SerializedAppError;
}

/** @returns the refusal to send for anything that a handler threw; surprises lose their text. */
export function replyOfError(error: unknown): RpcReply {
  const known =
    error instanceof AppError ? error : new AppError('internal_error', 'An unexpected error occurred.');
  return { error: known.serialize() };
}
