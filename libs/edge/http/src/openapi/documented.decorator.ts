import { applyDecorators, HttpCode, SetMetadata } from '@nestjs/common';
import type { ErrorCode } from '@quarry/error-codes';
import type { idOf } from '@quarry/dto';

type Resource = Parameters<typeof idOf>[0];

/** One way in which an operation answers well. */
export interface DocumentedAnswer {
  description: string;
  /**
   * The resource that it answers; `file` for the bytes of an export, `json` for any object, `message` for one of the Model
   * Context Protocol; null without a body.
   */
  body: Resource | 'file' | 'json' | 'message' | null;
  /** The same in text/event-stream, an item at a time. */
  isStream?: boolean;
  /** Headers that only this answer has, with what they say. */
  headers?: Readonly<Record<string, string>>;
}

/** Call of an operation by the clients: a method of the SDK with its arguments, and a command. */
export interface ClientCall {
  /**
   * Method of `new Quarry()`. Its arguments are the parameters of the path and then the body; others stand behind it, with
   * `{name}` for a parameter of the path and `{body}` or `{body.name}` for what is sent.
   */
  sdk: string;
  /** Arguments of `quarry`; left out where only `quarry api` does the same. */
  command?: string;
}

interface Described {
  /** Name of the operation, unique, as generated clients call it. */
  id: string;
  /** A sentence. */
  summary: string;
  /** More sentences, for what a caller must know before the first call. */
  description?: string;
  answers: Readonly<Record<number, DocumentedAnswer>>;
  /** Refusals of its own; what every route of its kind may answer is added. */
  errors?: readonly ErrorCode[];
  /** Meanings of the parameters in the path. */
  path?: Readonly<Record<string, string>>;
  /** A body that would be accepted. */
  example?: unknown;
  deprecated?: boolean;
  /** Credits may be spent by it. */
  spends?: boolean;
  /** A POST without a key that does the same however often it is sent, so that callers may repeat it. */
  isRepeatable?: boolean;
  /** Values that a parameter in the path may have. */
  choices?: Readonly<Record<string, readonly string[]>>;
}

/** Description of an operation beyond what its route declares already. */
export type Documentation = Described &
  (
    | { client: ClientCall; isInternal?: never }
    // Generated clients leave it out.
    | { isInternal: true; client?: never }
  );

/** Key of the metadata that {@link Documented} leaves on a handler. */
export const DOCUMENTED = 'quarry:documented';

/**
 * Describes an operation. A route without a description fails the start: the description is complete or nothing. Where it has one
 * answer, that is the status; a route with several says which.
 */
export function Documented(documentation: Documentation): MethodDecorator {
  const [status, ...others] = Object.keys(documentation.answers).map(Number);
  const describe = SetMetadata(DOCUMENTED, documentation);
  return status === undefined || others.length > 0 ? describe : applyDecorators(describe, HttpCode(status));
}
