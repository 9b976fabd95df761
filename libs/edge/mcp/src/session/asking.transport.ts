import type {
  JSONRPCMessage,
  JSONRPCRequest,
  MessageExtraInfo,
  RequestId,
  Server,
  Transport,
  TransportSendOptions,
} from '@modelcontextprotocol/server';
import type { Ctx } from '@quarry/app';
import type { ClientSession } from './client-sessions.js';
import type { Answer, PendingElicitations } from './pending-elicitations.js';

/** Id of the request that tells a server the capabilities of its client; no client sees it. */
const INTRODUCTION = 'introduction';
const REVISION = '2025-11-25';
const CANCELLED = 'notifications/cancelled';

/**
 * Lets a server that exists for one call ask its client: wraps the transport of the call, sends the client's capabilities
 * from the start of its session to the server first, and gives questions ids with which a response is routed back.
 */
class AskingTransport implements Transport {
  onmessage?: <Message extends JSONRPCMessage>(message: Message, extra?: MessageExtraInfo) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  private introduced = (): void => undefined;
  /** Call for which the server exists; its questions are sent to the same stream as the call's result. */
  private call?: RequestId;
  /** Ids that a client sees, by the server's own ids. */
  private readonly elicitations = new Map<RequestId, string>();

  constructor(
    private readonly inner: Transport,
    private readonly questions: PendingElicitations,
    private readonly ctx: Ctx,
  ) {}

  start(): Promise<void> {
    this.inner.onmessage = (message, extra) => {
      if ('id' in message && 'method' in message) this.call = message.id;
      this.onmessage?.(message, extra);
    };
    this.inner.onerror = (error) => this.onerror?.(error);
    this.inner.onclose = () => {
      for (const id of this.elicitations.values()) this.questions.endElicitation(id);
      this.onclose?.();
    };
    return this.inner.start();
  }

  /** Tells the server the capabilities of its client. */
  introduce(session: ClientSession): Promise<void> {
    const initialized = new Promise<void>((resolve) => (this.introduced = resolve));
    const capabilities = Object.fromEntries([...session].map((each) => [each, {}]));
    const params = { protocolVersion: REVISION, capabilities, clientInfo: { name: 'client', version: '0' } };
    this.onmessage?.({ jsonrpc: '2.0', id: INTRODUCTION, method: 'initialize', params });
    return initialized;
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (!('method' in message)) {
      if (message.id === INTRODUCTION) return this.introduced();
      return this.inner.send(message, options);
    }
    if ('id' in message) return this.askClient(message);
    const { requestId } = (message.params ?? {}) as { requestId?: RequestId };
    const id =
      message.method === CANCELLED && requestId !== undefined ? this.elicitations.get(requestId) : undefined;
    if (id === undefined) return this.inner.send(message, options);
    this.questions.endElicitation(id);
    const cancelled = { ...message, params: { ...message.params, requestId: id } };
    return this.inner.send(cancelled, { relatedRequestId: this.call! });
  }

  setSupportedProtocolVersions(versions: string[]): void {
    this.inner.setSupportedProtocolVersions?.(versions);
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  private async askClient(message: JSONRPCRequest): Promise<void> {
    const own = message.id;
    const take = (answer: Answer): void => {
      this.elicitations.delete(own);
      this.onmessage?.({ jsonrpc: '2.0', id: own, ...answer } as JSONRPCMessage);
    };
    const id = this.questions.askClient(this.ctx, take);
    if (id === null)
      return take({ error: { code: -32_000, message: 'No further question can be asked now.' } });
    this.elicitations.set(own, id);
    await this.inner.send({ ...message, id }, { relatedRequestId: this.call! });
  }
}

/** @returns the same server, with which it can ask its client during the call */
export function inSession(
  server: Server,
  session: ClientSession,
  { questions, ctx }: { questions: PendingElicitations; ctx: Ctx },
): Server {
  const connect = server.connect.bind(server);
  server.connect = async (transport) => {
    const asking = new AskingTransport(transport, questions, ctx);
    await connect(asking);
    await asking.introduce(session);
  };
  return server;
}
