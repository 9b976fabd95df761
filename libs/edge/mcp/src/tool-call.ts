import { KeyedSemaphore, withDeadline } from '@quarry/resilience';
import type { Ctx, HeldReads } from '@quarry/app';
import type { RpcCall, RpcTransport } from '@quarry/rpc';
import type { PageCursors } from './page-cursors.js';

/** The request that calls tools: whose it is, and what it is admitted to. */
export interface Caller {
  ctx: Ctx;
  /** Address that the request was sent to, without a slash at its end. */
  baseUrl: string;
  /**
   * Counts one operation of a class for the caller's key.
   * @returns how to give its place back
   * @throws AppError rate_limited with Retry-After
   */
  admit(rateClass: 'services' | 'heavy'): Promise<() => void>;
}

/** Waits of one key at once in a process: each costs a read now and then, which no limit counts. */
const WAITS_MAX = 20;

/** Makes what counts the calls that wait for something to end, by key. */
export function boundedWaits(): KeyedSemaphore {
  return new KeyedSemaphore({ size: Infinity, each: WAITS_MAX });
}

/** Parts that the tools of this process use. */
export interface ToolParts {
  rpc: RpcTransport;
  heldReads: HeldReads;
  cursors: PageCursors;
  waits: KeyedSemaphore;
}

/** Tells the client how far a call is. */
export type TellProgress = (progress: number, total: number, message: string) => Promise<void>;

/** One call of a tool. */
export class ToolCall {
  constructor(
    private readonly parts: ToolParts,
    private readonly caller: Pick<Caller, 'ctx' | 'baseUrl'>,
    /** Fires when nobody waits for the answer any more. */
    readonly signal: AbortSignal,
    /** Null where the client did not ask for it. */
    readonly progress: TellProgress | null,
    /** Gives the place of the operation back; once or more. */
    private readonly release: () => void = () => undefined,
  ) {}

  /** The operation has begun, and goes on without this call: from now on the call only waits. */
  detach(): void {
    this.release();
  }

  get ctx(): Ctx {
    return this.caller.ctx;
  }

  /** Address of this installation, without a slash at its end. */
  get baseUrl(): string {
    return this.caller.baseUrl;
  }

  get cursors(): PageCursors {
    return this.parts.cursors;
  }

  /** Asks a service. @throws AppError what it refuses with */
  callRpc<Request, Response>(call: RpcCall<Request, Response>, request: Request): Promise<Response> {
    return this.parts.rpc.call(this.ctx, call, request);
  }

  /** Asks a service whose answer is JSON text. @throws AppError what it refuses with */
  async readRpc<Request>(
    call: RpcCall<Request, string | Buffer>,
    request: Request,
  ): Promise<Record<string, unknown>> {
    return JSON.parse((await this.callRpc(call, request)).toString()) as Record<string, unknown>;
  }

  /**
   * Reads again and again until something has ended, the time is over, the client has gone or the process stops: then
   * what was read last is the answer. A key that has as many waits here as it may gets its answer at once.
   * @param read asks and waits for so many seconds at most
   */
  async pollUntil<T>(
    seconds: number,
    read: (seconds: number, signal: AbortSignal) => Promise<T>,
    seen: (state: T) => Promise<'ended' | 'goes on'>,
  ): Promise<T> {
    const leave = seconds === 0 ? null : this.parts.waits.tryEnter(this.ctx.keyId ?? '');
    if (!leave) return read(0, this.signal);
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, this.signal]);
    // One that fires at once would end a read before it has begun.
    const now = (): Promise<T> => read(0, new AbortController().signal);
    try {
      return await withDeadline(
        this.parts.heldReads.answerHeldRead(() => holdRead(seconds, signal, read, seen), now),
        { signal: this.signal },
      );
    } finally {
      stop.abort();
      leave();
    }
  }
}

async function holdRead<T>(
  seconds: number,
  signal: AbortSignal,
  read: (seconds: number, signal: AbortSignal) => Promise<T>,
  seen: (state: T) => Promise<'ended' | 'goes on'>,
): Promise<T> {
  const endsAtMs = performance.now() + seconds * 1000;
  for (;;) {
    const left = Math.max(0, Math.ceil((endsAtMs - performance.now()) / 1000));
    const state = await read(left, signal);
    if ((await seen(state)) === 'ended' || left === 0 || signal.aborted) return state;
  }
}
