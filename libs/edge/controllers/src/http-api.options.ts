import type { AnswerWay } from '@quarry/mcp';
import type { RpcTransport } from '@quarry/rpc';
import type { GateOptions } from '@quarry/http';
import type { ChangeSource } from './changes/change-streams.js';
import type { EventSource } from './events/event-source.js';
import type { ReadinessChecks } from './tokens.js';

/** Dependencies of the routes of the public API, and of the gate. The creator of each part closes it. */
export interface HttpApiOptions extends GateOptions {
  rpc: RpcTransport;
  /** Source of streams of changes. */
  changes: ChangeSource;
  events: EventSource;
  /** Called when polling for changes or events has failed; it is repeated. */
  onChangesFailure: (error: unknown) => void;
  /** Address of the web application, without a trailing slash; undefined for /app on the host of the request. */
  appUrl: string | undefined;
  /** Secrets for what tools hand out and take back: the first one seals, each opens. The same in every gateway. */
  toolSecrets: readonly [string, ...string[]];
  /** Mailbox for clients' answers to questions of other gateways and vice versa; absent with a single gateway. */
  elicitationMailbox?: AnswerWay;
  /** Called with a tool's failure that its caller must not see. */
  onToolFailure: (error: unknown, tool: string, requestId: string) => void;
  /** Called for messages to /mcp that violate the protocol. */
  onProtocolFault: (message: string) => void;
  /** Seconds that `POST /v1/go/run` is held; 100 when left out. */
  goHeldSeconds?: number;
  readiness: ReadinessChecks;
  /** Returns true when only a restart of the process helps. */
  isStuck: () => boolean;
}
