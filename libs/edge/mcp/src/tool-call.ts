import { KeyedSemaphore, withDeadline } from '@quarry/resilience';
import type { Ctx, HeldReads } from '@quarry/app';
import type { RpcCall, RpcTransport } from '@quarry/rpc';
import type { PageCursors } from './page-cursors.js';

/** Caller of tools, with its rate limits. */
export interface Caller {
  ctx: Ctx;
  /** Address that the request was sent to, without a trailing slash. */
  baseUrl: string;
  /**
   * Counts one operation of a rate class for the caller's key.
   * @returns a function that releases its slot
   * @throws AppError rate_limited with Retry-After
   */
  admit(rateClass: 'services' | 'heavy'): Promise<() => void>;
}

/** Maximum number of concurrent waits of one key in a process: each reads periodically, which no rate limit counts. */
const WAITS_MAX = 20;

/** Creates the semaphore for waiting calls, by key. */
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

/** Sends the progress of a call to the client. */
export type TellProgress = (progress: number, total: number, message: string) => Promise<void>;

export class ToolCall {
  constructor(
    private readonly parts: ToolParts,
    private readonly caller: Pick<Caller, 'ctx' | 'baseUrl'>,
    /** Fires when the client no longer waits for the result. */
    readonly signal: AbortSignal,
    /** Null when the client did not request it. */
    readonly progress: TellProgress | null,
    /**
     * Releases the slot because the operation has started and continues without this call, which only waits from now on. May be
     * called repeatedly.
     */
    readonly detach: () => void = () => undefined,
  ) {}

  get ctx(): Ctx {
    return this.caller.ctx;
  }

  /** Address of this installation, without a trailing slash. */
  get baseUrl(): string {
    return this.caller.baseUrl;
  }

  get cursors(): PageCursors {
    return this.parts.cursors;
  }

  /** Calls a service. @throws AppError the error it responds with */
  callRpc<Request, Response>(call: RpcCall<Request, Response>, request: Request): Promise<Response> {
    return this.parts.rpc.call(this.ctx, call, request);
  }

  /** Calls a service that responds with JSON text. @throws AppError the error it responds with */
  async readRpc<Request>(
    call: RpcCall<Request, string | Buffer>,
    request: Request,
  ): Promise<Record<string, unknown>> {
    return JSON.parse((await this.callRpc(call, request)).toString()) as Record<string, unknown>;
  }

  /**
   * Polls until something has ended, the time is over, the client has disconnected or the process shuts down, and returns the
   * last read. A key with the maximum number of waits in this process gets the first read immediately.
   * @param read reads, and may wait for this number of seconds
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
    // A signal that has already fired would abort the read before it starts.
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
