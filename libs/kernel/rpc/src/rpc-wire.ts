import { AppError, type SerializedAppError } from '@quarry/error-codes';
import type { Ctx } from '@quarry/app';

/** A call as it is sent. Its answer has the same number. */
export interface RpcCallMessage {
  id: number;
  pattern: string;
  ctx: Ctx;
  request: unknown;
  /** The field of the request whose text is attached to the message. */
  attached?: string;
  /** True when the answer may be attached; callers of earlier versions do not expect that. */
  takesAttached?: true;
}

/** Characters from which a text of a request is attached. */
const ATTACHED_MIN = 256 * 1024;

/**
 * @returns a request without its longest text, if that is long enough to be attached, and the field of that text; null for all
 * others
 */
export function detachLongText(request: unknown): { field: string; text: string; rest: unknown } | null {
  if (typeof request !== 'object' || request === null) return null;
  for (const field in request) {
    const text = (request as Record<string, unknown>)[field];
    if (typeof text === 'string' && text.length >= ATTACHED_MIN)
      return { field, text, rest: { ...request, [field]: null } };
  }
  return null;
}

/** @returns the call with its attached text back in its field */
export function attachedTo(call: RpcCallMessage, content: Buffer | null): RpcCallMessage {
  if (content === null || call.attached === undefined) return call;
  return { ...call, request: { ...(call.request as object), [call.attached]: content.toString() } };
}

/** Body of a reply: a value, or the public part of a refusal. */
export interface RpcReply {
  value?: unknown;
  error?: SerializedAppError;
}

export interface RpcAnswerMessage extends RpcReply {
  id: number;
  /** The value is attached to the message. */
  attached?: true;
}

/** Characters or bytes from which an answer is attached: inside JSON its quotes would be escaped. */
const ANSWER_ATTACHED_MIN = 16 * 1024;

/** @returns an answer to attach, and the message before it; null for all others */
export function detachAnswer(
  { id, takesAttached }: RpcCallMessage,
  { value }: RpcReply,
): { message: RpcAnswerMessage; content: string | Buffer } | null {
  if (!takesAttached || !(typeof value === 'string' || Buffer.isBuffer(value))) return null;
  return value.length < ANSWER_ATTACHED_MIN ? null : { message: { id, attached: true }, content: value };
}

/**
 * Decodes attached bytes to text: kept as bytes until the client has read them, they would survive V8's young generation, whose
 * full collections cost a gateway more than reading and writing the text.
 * @returns the reply with its attached text
 */
export function replyWith({ attached, ...reply }: RpcAnswerMessage, content: Buffer | null): RpcReply {
  return content === null || !attached ? reply : { ...reply, value: content.toString() };
}

/** Tells the caller that this end is stopping: open calls are answered, further ones belong on another connection. */
export interface RpcLeavingMessage {
  leaving: true;
}

/** @returns the reply for anything that a handler threw; unexpected errors lose their text */
export function replyOfError(error: unknown): RpcReply {
  const known =
    error instanceof AppError ? error : new AppError('internal_error', 'An unexpected error occurred.');
  return { error: known.serialize() };
}

/** @returns the first word of a pattern, which is the area of a connection */
export function areaOf(pattern: string): string {
  return pattern.split('.', 1)[0]!;
}
