import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type JSONRPCRequest,
  type Result,
  type ServerContext,
} from '@modelcontextprotocol/server';

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

/** A server whose list of tools has one page, so that no cursor leads anywhere. */
export class OnePageServer extends Server {
  /** Judges the cursor before the protocol's own code does, which answers one of another type as its own fault. */
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const wrapped = super._wrapHandler(method, handler);
    if (method !== 'tools/list') return wrapped;
    return async (request, context) => {
      if (request.params?.['cursor'] !== undefined)
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          'cursor is not valid: all tools are on one page.',
        );
      return wrapped(request, context);
    };
  }
}
