import { applyDecorators, HttpCode, SetMetadata } from '@nestjs/common';
import type { ErrorCode } from '@quarry/error-codes';
import type { idOf } from '@quarry/dto';

type Resource = Parameters<typeof idOf>[0];

/** A successful answer of an operation. */
export interface DocumentedAnswer {
  description: string;
  /**
   * The resource in the body; `file` for the bytes of an export, `json` for any object, `message` for one of the Model Context
   * Protocol; null without a body.
   */
  body: Resource | 'file' | 'json' | 'message' | null;
  /** The same as text/event-stream, one item at a time. */
  isStream?: boolean;
  /** Headers of this answer only, with their descriptions. */
  headers?: Readonly<Record<string, string>>;
}

/** Client call of an operation: a method of the SDK with its arguments, and a command. */
export interface ClientCall {
  /**
   * Method of `new Quarry()`. By default its arguments are the path parameters followed by the body; others are written after it,
   * with `{name}` for a path parameter and `{body}` or `{body.name}` for what is sent. Absent when the SDK has no room for it.
   */
  sdk?: string;
  /** Arguments of `quarry`; absent when only `quarry api` can do the same. */
  command?: string;
}

interface Described {
  /** A sentence. */
  summary: string;
  /** Further sentences that a caller must know before the first call. */
  description?: string;
  answers: Readonly<Record<number, DocumentedAnswer>>;
  /** Errors specific to the operation. Those of its ids, its cursor and every route of its kind are added. */
  errors?: readonly ErrorCode[];
  /** Descriptions of path parameters that are no ids. */
  path?: Readonly<Record<string, string>>;
  /** A valid body. */
  example?: unknown;
  deprecated?: boolean;
  /** True when it may spend credits. */
  spends?: boolean;
  /** A POST without a key that is idempotent, so that callers may repeat it. */
  isRepeatable?: boolean;
  /** Possible values of a path parameter. */
  choices?: Readonly<Record<string, readonly string[]>>;
}

/** Description of an operation in addition to what its route declares. */
export type Documentation = Described &
  (
    | { client: ClientCall; isInternal?: never }
    // Not part of generated clients.
    | { isInternal: true; client?: never }
  );

/** Metadata key of {@link Documented}. */
export const DOCUMENTED = 'quarry:documented';

/**
 * Describes an operation, whose unique name for generated clients is that of the method. A route without a description prevents the
 * start, so the description is always complete.
 */
export function Documented(documentation: Documentation): MethodDecorator {
  const [status, ...others] = Object.keys(documentation.answers).map(Number);
  const describe = SetMetadata(DOCUMENTED, documentation);
  return status === undefined || others.length > 0 ? describe : applyDecorators(describe, HttpCode(status));
}
