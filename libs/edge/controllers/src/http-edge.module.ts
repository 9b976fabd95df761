import { Module, type DynamicModule } from '@nestjs/common';
import { LOGGER, TrafficMetrics, WorkMetrics, type Logger } from '@quarry/app';
import { ElicitationMailbox, Database } from '@quarry/postgres';
import type { RpcTransport } from '@quarry/rpc';
import { IdentityModule, IdentityStore, identityKeySource, SessionFinder } from '@quarry/identity';
import { packagedWebFolder, RATE_LIMITS, RateLimitsModule, type RateLimitStore } from '@quarry/http';
import { changeSource } from './changes/tenant-changes.js';
import { eventSource } from './events/event-source.js';
import { HttpApiModule } from './http-api.module.js';

export interface HttpEdgeSettings {
  /** Connection to the services; it stays open when the edge closes. */
  rpc: RpcTransport;
  /** Redis in which all gateways count requests; null to count in this process. */
  redisUrl: string | null;
  /** Multiplies every budget. */
  rateLimitScale: number;
  /** Networks of the proxies whose X-Forwarded-For is trusted. */
  trustedProxies: readonly string[];
  /** Origins of web pages that may use /mcp, in addition to those of this machine. */
  allowedOrigins: readonly string[];
  /** Secrets for what tools hand out and take back: the first one seals, each opens. */
  toolSecrets: readonly [string, ...string[]];
  /** Seconds that `POST /v1/go/run` is held; 100 when left out. */
  goHeldSeconds?: number;
  /** Address of the web application; undefined for /app on the host of the request. */
  appUrl?: string | undefined;
  /** Folder with the files of the web application; undefined for that of its package. */
  webFolder?: string | undefined;
}

/** The public API over the database of its keys. */
@Module({})
export class HttpEdgeModule {
  static forRoot(settings: HttpEdgeSettings): DynamicModule {
    const { redisUrl, appUrl, webFolder, ...edge } = settings;
    return {
      module: HttpEdgeModule,
      imports: [
        HttpApiModule.forRootAsync({
          imports: [RateLimitsModule.forRoot(redisUrl), IdentityModule],
          inject: [
            Database,
            IdentityStore,
            SessionFinder,
            RATE_LIMITS,
            LOGGER,
            TrafficMetrics,
            WorkMetrics,
            ElicitationMailbox,
          ],
          useFactory: (
            database: Database,
            identity: IdentityStore,
            sessions: SessionFinder,
            rateLimits: RateLimitStore,
            logger: Logger,
            metrics: TrafficMetrics,
            work: WorkMetrics,
            elicitationMailbox: ElicitationMailbox,
          ) => ({
            ...edge,
            appUrl: appUrl?.replace(/\/+$/, ''),
            webFolder: webFolder ?? packagedWebFolder(),
            findSession: (token) => sessions.findSession(token),
            changes: changeSource(database, sessions),
            events: eventSource(database, identity, sessions),
            onChangesFailure: (error) => logger.warn({ err: error }, 'changes or events could not be read'),
            keys: identityKeySource(identity, (error) =>
              logger.warn({ err: error }, 'the last use of a key could not be stored'),
            ),
            rateLimits,
            elicitationMailbox,
            onToolFailure: (error, tool, requestId) =>
              logger.error({ err: error, tool, requestId }, 'a tool failed'),
            onProtocolFault: (message) =>
              logger.debug({ message }, 'a message to /mcp violates the protocol'),
            onAnswered: (...of) => metrics.countAnswer(...of),
            onBudget: (budget) => work.watchBudget('requests', budget),
            readiness: { database: () => database.ping() },
            isStuck: () => database.isStuck,
          }),
        }),
      ],
    };
  }
}
