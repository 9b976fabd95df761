import { AppError } from '@quarry/error-codes';

/** Longer than any method, tool, id or version of the protocol. */
const NAME_CHARACTERS_MAX = 200;
const VERSION_META = 'io.modelcontextprotocol/protocolVersion';

/**
 * Rejects a message whose names are too long: the protocol library would repeat them in its response.
 * @throws AppError invalid_request
 */
export function requireShortNames(message: unknown): void {
  const { method, id, params } = (message ?? {}) as Record<string, unknown>;
  const { name, _meta: meta } = (params ?? {}) as Record<string, unknown>;
  const version = (meta as Record<string, unknown> | null | undefined)?.[VERSION_META];
  const names = { method, id, 'params.name': name, [`params._meta["${VERSION_META}"]`]: version };
  for (const [path, value] of Object.entries(names))
    if (typeof value === 'string' && value.length > NAME_CHARACTERS_MAX)
      throw new AppError('invalid_request', `${path} must have at most ${NAME_CHARACTERS_MAX} characters.`);
}
