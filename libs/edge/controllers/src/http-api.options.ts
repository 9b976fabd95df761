import type { AnswerWay } from '@quarry/mcp';
import type { RpcTransport } from '@quarry/rpc';
import type { GateOptions } from '@quarry/http';
import type { ChangeSource } from './changes/change-streams.js';
import type { EventSource } from './events/event-source.js';
import type { ReadinessChecks } from './tokens.js';

/** Parts that the routes of the public API use, and those by which their requests are let in. Whoever passes a part closes it. */
export interface HttpApiOptions extends GateOptions {
  rpc: RpcTransport;
  /** Source of streams of changes. */
  changes: ChangeSource;
  /** Source of events. */
  events: EventSource;
  /** Told of a look for changes or events that failed; the next one follows. */
  onChangesFailure: (error: unknown) => void;
  /** Address of the web application, without a slash at its end; undefined: /app where the request was sent to. */
  appUrl: string | undefined;
  /** Seal what tools hand out and take back; the first seals, each opens. The same in every gateway. */
  toolSecrets: readonly [string, ...string[]];
  /** Mailbox of clients' answers to questions of other gateways, and of this one elsewhere; none where it is the only one. */
  elicitationMailbox?: AnswerWay;
  /** Told of a tool's failure that its caller must not know. */
  onToolFailure: (error: unknown, tool: string, requestId: string) => void;
  /** Told of a message to /mcp that is none of the protocol. */
  onProtocolFault: (message: string) => void;
  /** Seconds that `POST /v1/go/run` is held; 100 when left out. */
  goHeldSeconds?: number;
  readiness: ReadinessChecks;
  /** Returns whether only a new process helps. */
  isStuck: () => boolean;
}
