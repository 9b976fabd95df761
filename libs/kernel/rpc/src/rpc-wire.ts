import { AppError, type SerializedAppError } from '@quarry/error-codes';
import type { Ctx } from '@quarry/app';

/** A call as it travels. Its answer has the same number. */
export interface RpcCallMessage {
  id: number;
  pattern: string;
  ctx: Ctx;
  request: unknown;
  /** The field of the request whose text travels behind the message. */
  attached?: string;
  /** Says that a long answer may travel behind its message, which a caller of an earlier version would not look for. */
  takesAttached?: true;
}

/** A text of a request that is longer travels by itself, in characters. */
const ATTACHED_MIN = 256 * 1024;

/** @returns a request without its longest text when that is very long, and where it belongs; null for all others */
export function detachLongText(request: unknown): { field: string; text: string; rest: unknown } | null {
  if (typeof request !== 'object' || request === null) return null;
  for (const field in request) {
    const text = (request as Record<string, unknown>)[field];
    if (typeof text === 'string' && text.length >= ATTACHED_MIN)
      return { field, text, rest: { ...request, [field]: null } };
  }
  return null;
}

/** @returns the call with its text in its place again */
export function attachedTo(call: RpcCallMessage, content: Buffer | null): RpcCallMessage {
  if (content === null || call.attached === undefined) return call;
  return { ...call, request: { ...(call.request as object), [call.attached]: content.toString() } };
}

/** Body of a reply: a value, or the public half of a refusal. */
export interface RpcReply {
  value?: unknown;
  error?: SerializedAppError;
}

export interface RpcAnswerMessage extends RpcReply {
  id: number;
  /** Says that the value is the text behind the message. */
  attached?: true;
}

/** An answer that is longer travels by itself, in characters or bytes: as a part of JSON its quotes would be escaped. */
const ANSWER_ATTACHED_MIN = 16 * 1024;

/** @returns an answer that travels by itself, and the message before it; null for all others */
export function detachAnswer(
  { id, takesAttached }: RpcCallMessage,
  { value }: RpcReply,
): { message: RpcAnswerMessage; content: string | Buffer } | null {
  if (!takesAttached || !(typeof value === 'string' || Buffer.isBuffer(value))) return null;
  return value.length < ANSWER_ATTACHED_MIN ? null : { message: { id, attached: true }, content: value };
}

/**
 * Bytes become text, too: kept as bytes until the client has taken them, they outlive V8's young generation, whose full
 * collections then cost a gateway more than reading and writing the text does.
 * @returns the reply with the text behind its message in its place again
 */
export function replyWith({ attached, ...reply }: RpcAnswerMessage, content: Buffer | null): RpcReply {
  return content === null || !attached ? reply : { ...reply, value: content.toString() };
}

/** Says that whoever answers is stopping: what was called is answered, what comes next belongs on another connection. */
export interface RpcLeavingMessage {
  leaving: true;
}

/** @returns the refusal to send for anything that a handler threw; unexpected errors lose their text. */
export function replyOfError(error: unknown): RpcReply {
  const known =
    error instanceof AppError ? error : new AppError('internal_error', 'An unexpected error occurred.');
  return { error: known.serialize() };
}

/** @returns the first word of a pattern: the area that a connection is for */
export function areaOf(pattern: string): string {
  return pattern.split('.', 1)[0]!;
}
