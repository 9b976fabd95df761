import { ServerTCP, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import { AppError } from '@quarry/error-codes';
import { AnswerSocket } from './gathering.sockets.js';
import { handlersByPattern, type PatternHandler, type RpcHandlerSet } from './handlers-by-pattern.js';
import { replyOfError, type RpcPacket, type RpcReply } from './rpc-wire.js';

export interface TcpRpcServerOptions {
  host: string;
  port: number;
  sets: RpcHandlerSet[];
  /** Told of every surprise (not of refusals), with the request id it belongs to. */
  onSurprise: (error: unknown, pattern: string, requestId: string) => void;
}

/** Serves declared calls over Nest's TCP transport: the strategy of a Nest microservice. */
export class TcpRpcServer extends ServerTCP implements CustomTransportStrategy {
  private inFlight = 0;
  private onIdle: (() => void) | null = null;

  /** @throws Error when a declared call has no handler or two */
  constructor(private readonly rpc: TcpRpcServerOptions) {
    super({ host: rpc.host, port: rpc.port, socketClass: AnswerSocket });
    for (const [pattern, handler] of handlersByPattern(rpc.sets)) {
      this.addHandler(pattern, (packet: RpcPacket) => this.answer(pattern, handler, packet));
    }
  }

  /** Our patterns are plain names; Nest's own look-up would try each as JSON first, and throw inside for every call. */
  override getHandlerByPattern(pattern: string): MessageHandler | null {
    return this.messageHandlers.get(pattern) ?? null;
  }

  /** Waits until the calls in hand have been answered, at most `graceMs`. */
  async drain(graceMs: number): Promise<void> {
    if (this.inFlight === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private async answer(pattern: string, handler: PatternHandler, packet: RpcPacket): Promise<RpcReply> {
    this.inFlight += 1;
    try {
      return { value: await handler(packet.ctx, packet.request) };
    } catch (error) {
      if (!(error instanceof AppError)) this.rpc.onSurprise(error, pattern, packet.ctx.requestId);
      return replyOfError(error);
    } finally {
      this.inFlight -= 1;
      if (this.inFlight === 0) this.onIdle?.();
    }
  }
}
