import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type JSONRPCRequest,
  type Result,
  type ServerContext,
} from '@modelcontextprotocol/server';

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

/** Server whose list of tools has a single page, so that every cursor is invalid. */
export class OnePageServer extends Server {
  /** Checks the cursor before the protocol library, which would report a cursor of another type as an internal error. */
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
