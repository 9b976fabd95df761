import type { AnswerWay } from '@quarry/mcp';
import type { KeySource, OpenSession } from '@quarry/identity';
import type { ByteBudget } from '@quarry/app';
import type { RpcTransport } from '@quarry/rpc';
import type { ChangeSource } from '../changes/change-streams.js';
import type { EventSource } from '../events/event-source.js';
import type { RateLimitStore } from '../limits/rate-limit.store.js';
import type { ReadinessChecks } from './tokens.js';

/** Parts that the routes of the public API use. Whoever passes a part closes it. */
export interface HttpApiOptions {
  rpc: RpcTransport;
  keys: KeySource;
  /** Finds the open session of a token of the web application. */
  findSession: (token: string) => Promise<OpenSession | null>;
  /** Source of streams of changes. */
  changes: ChangeSource;
  /** Source of events. */
  events: EventSource;
  /** Told of a look for changes or events that failed; the next one follows. */
  onChangesFailure: (error: unknown) => void;
  /** Address of the web application, without a slash at its end; undefined: /app where the request was sent to. */
  appUrl: string | undefined;
  /** Folder with the files of the web application; null where there is none. */
  webFolder: string | null;
  rateLimits: RateLimitStore;
  /** Multiplies every budget: windows, address limit and concurrency. */
  rateLimitScale: number;
  /** Networks of the proxies whose X-Forwarded-For is believed. */
  trustedProxies: readonly string[];
  /** Web pages that may use /mcp, beside those of this machine. */
  allowedOrigins: readonly string[];
  /** Seal what tools hand out and take back; the first seals, each opens. The same in every gateway. */
  toolSecrets: readonly [string, ...string[]];
  /** Mailbox of clients' answers to questions of other gateways, and of this one elsewhere; none where it is the only one. */
  elicitationMailbox?: AnswerWay;
  /** Told of a tool's failure that its caller must not know. */
  onToolFailure: (error: unknown, tool: string, requestId: string) => void;
  /** Told of a message to /mcp that is none of the protocol. */
  onProtocolFault: (message: string) => void;
  /** Told of every answer: the route with its parameters' names, null where there is none. Seconds. */
  onAnswered?: (method: string, route: string | null, status: number, seconds: number) => void;
  /** Told once of the bytes that imports share. */
  onBudget?: (budget: ByteBudget) => void;
  /** Seconds that `POST /v1/go/run` is held; 100 when left out. */
  goHeldSeconds?: number;
  readiness: ReadinessChecks;
  /** Returns whether only a new process helps. */
  isStuck: () => boolean;
}
